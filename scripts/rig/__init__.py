# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts/slurm-rig is made of: a real slurmctld beside schedlab, on the same input.

scenario.py  a scenario: its cluster as slurm.conf, its jobs
slurm.py     a private Slurm: munge, slurmctld, a slurmd a node, database
record.py    submits, looks, lets jobs end, writes what happened
replay.py    the same scenario as a user's files, run by schedlab
compare.py   two recordings, or a run and a recording
mix.py       a scenario of random jobs, by kind and seed
chroot.py    the Slurm of another Debian release
trace.py     a scenario out of a site's slurm.conf and sacct
setup.py     which packages it takes
selftest.py  what can be tested without Slurm
"""
