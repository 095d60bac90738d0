#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What Prometheus itself answers about two programs on the simulated device, by way of node_exporter.
load ../preload/helper
load ../preload/served

setup()
{
	for need in prometheus prometheus-node-exporter promtool curl jq; do
		command -v "$need" >/dev/null || skip "no $need here"
	done
	folder_of_its_own
}

teardown()
{
	local process
	for process in ${exporter-} ${server-} ${other-}; do
		kill -KILL "$process" 2>/dev/null || true
		wait "$process" || true
	done
	end_served
	rm -f run/ktime.*
}

# free_port: one that nobody listens on now.
free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# scraped PORT PATTERN: until what a server says has a line like that.
scraped()
{
	has_line()
	{
		curl -m 10 -s "http://127.0.0.1:$1/metrics" >scraped
		grep -q "$2" scraped
	}
	wait_until 60 "$2 from port $1" has_line "$@" || { cat scraped; false; }
}

# ask QUERY: the values, "LABELS VALUE", sorted.
ask()
{
	curl -m 10 -s "http://127.0.0.1:$server_port/api/v1/query" --data-urlencode "query=$1" |
		jq -r '.data.result[] | "\(.metric | [.kernel, .operation, .command] | map(select(.)) | join(" ")) \(.value[1])"' | sort
}

# answers EXPECTED QUERY: until Prometheus answers that.
answers()
{
	is_answer()
	{
		ask "$2" >answer
		[ "$(cat answer)" = "$1" ]
	}
	wait_until 60 "that answer to $2" is_answer "$@" || diff <(printf '%s\n' "$1") answer
}

# answered QUERY: until Prometheus answers with a number.
answered()
{
	has_answer()
	{
		ask "$1" | grep -vq ' NaN$'
	}
	wait_until 60 "an answer to $1" has_answer "$1"
}

start_servers()
{
	exporter_port=$(free_port)
	prometheus-node-exporter --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$PWD/metrics" --web.listen-address="127.0.0.1:$exporter_port" \
		>exporter.log 2>&1 3>&- 5>&- 6<&- 7>&- 8<&- &
	exporter=$!
	server_port=$(free_port)
	cat >prometheus.yml <<-EOF
		global: {scrape_interval: 200ms, evaluation_interval: 200ms}
		rule_files: ["$root/docs/deployment.rules.yml"]
		scrape_configs:
		  - job_name: node
		    static_configs: [{targets: ["127.0.0.1:$exporter_port"]}]
	EOF
	prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server_port" \
		>prometheus.log 2>&1 3>&- 5>&- 6<&- 7>&- 8<&- &
	server=$!
}

@test "Prometheus answers what two programs did, and its rules hold" {
	export SIM_KERNEL_NS=first=1000,second=3000000
	export KTIME_OPTIONS="--prometheus $PWD/metrics/app.prom --prometheus-interval 0.1"
	mkdir metrics
	serve
	order first 5
	order second 2
	order copy 1000
	other=$program
	exec 7>&5 8<&6
	mkdir two
	cd two
	serve
	order first 10
	cd ..
	start_servers
	scraped "$exporter_port" '^ktime_kernel_calls_total{.*kernel="first".*} 10$'
	scraped "$exporter_port" '^node_textfile_scrape_error 0$'
	answers $'first 15\nsecond 2' 'sum by (kernel) (ktime_kernel_calls_total)'
	answers $'first 15000\nsecond 6000000' 'round(1e9 * sum by (kernel) (ktime_kernel_seconds_total))'
	answers 'HtoD served 1000' 'sum by (operation, command) (ktime_copy_bytes_total)'
	# 15 of 17 durations are in the first bucket.
	answers ' 580' 'round(1e9 * histogram_quantile(0.5, sum by (le) (ktime_kernel_duration_seconds_bucket)))'
	answers ' 2' 'count(count by (pid) (ktime_info))'
	# More work, and the rate of it.
	order first 100
	answers $'first 115\nsecond 2' 'sum by (kernel) (ktime_kernel_calls_total)'
	answers ' 1' 'count(rate(ktime_kernel_calls_total{kernel="first"}[5m]) > 0)'
	is 'ok ok ok' eval "curl -m 10 -s http://127.0.0.1:$server_port/api/v1/rules | jq -r '[.data.groups[].rules[].health] | join(\" \")'"
	answers ' 1' 'count(node_device:ktime_gpu_busy:ratio_rate5m)'
	# The dashboard, with the variables as Grafana sets them for "All".
	jq -r '.panels[].targets[]?.expr' "$root/docs/grafana.json" |
		sed 's/\$__rate_interval/5m/g; s/\$node/.*/g; s/\$command/.*/g' >queries
	[ "$(wc -l <queries)" -gt 10 ]
	while read -r query; do
		answered "$query" || { echo "no answer to $query"; false; }
	done <queries
	jq -r '.templating.list[].definition // empty' "$root/docs/grafana.json" |
		sed -n 's/^label_values(\(.*\), \(.*\))$/count by (\2) (\1)/p' >queries
	[ "$(wc -l <queries)" -eq 2 ]
	while read -r query; do
		answered "$query" || { echo "no answer to $query"; false; }
	done <queries
	dismiss
	exec 7>&- 8<&-
	wait "$other"
	other=
	# Their series end with them.
	answers '' 'ktime_info'
	[ -z "$(ls metrics)" ]
}

@test "the alerts fire when their rules say, and not before" {
	cp "$root/docs/deployment.rules.yml" "$root/tests/jobs/deployment.test.yml" .
	promtool check rules deployment.rules.yml
	promtool test rules deployment.test.yml
}
