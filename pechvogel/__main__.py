"""`python -m pechvogel`."""

import sys

from pechvogel.cli import main

sys.exit(main())
