# SPDX-License-Identifier: MIT
import sys

from ktime import main

sys.exit(main())
