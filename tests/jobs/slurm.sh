#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A Slurm of one node with 16 task slots, with all its files in FOLDER, for the user that runs it
# (slurmd needs root).
# Usage: slurm.sh start|stop FOLDER
set -euo pipefail
# shellcheck source=tests/waits.bash
. "$(dirname "$0")/../waits.bash"
folder=$2

# free_port: one that nobody listens on now.
free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

configuration()
{
	local host
	host=$(hostname -s)
	cat <<-END
		ClusterName=ktime
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$folder/munge.socket
		CredType=cred/munge
		SlurmctldPort=$(free_port)
		SlurmdPort=$(free_port)
		StateSaveLocation=$folder/state
		SlurmdSpoolDir=$folder/spool
		SlurmctldPidFile=$folder/slurmctld.pid
		SlurmdPidFile=$folder/slurmd.pid
		SlurmctldLogFile=$folder/slurmctld.log
		SlurmdLogFile=$folder/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		JobAcctGatherType=jobacct_gather/none
		MpiDefault=none
		NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
}

start()
{
	mkdir -p "$folder/state" "$folder/spool"
	(umask 077 && head -c 128 /dev/urandom >"$folder/key")
	munged --force --key-file="$folder/key" --socket="$folder/munge.socket" \
		--pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/seed"
	configuration >"$folder/slurm.conf"
	export SLURM_CONF=$folder/slurm.conf
	slurmctld -c
	slurmd -c
	wait_until 60 "a node of Slurm's" eval '[ "$(sinfo -h -o %t 2>/dev/null)" = idle ]' ||
		{ tail -n 5 "$folder"/*.log; return 1; } >&2
}

stop()
{
	local name process
	for name in slurmd slurmctld munged; do
		[ -s "$folder/$name.pid" ] || continue
		process=$(cat "$folder/$name.pid")
		kill "$process" || continue
		wait_until 60 "the end of $name" has_ended "$process"
	done
}

case $1 in start | stop) "$1" ;; *) exit 2 ;; esac
