"""The command line `pechvogel`, on top of all other packages."""

import os

# Our matrices are small: a second thread for them would mostly wait, and it waits by spinning on a core that games
# could use (training against champions is twice as fast with one). NumPy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
