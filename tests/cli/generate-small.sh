# SPDX-License-Identifier: GPL-3.0-or-later
# The header and rows of a small workload, on standard output, to the byte.
schedlab generate lublin --jobs 8 --cpus 64 --load 0.8 --seed 7
