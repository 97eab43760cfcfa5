#!/bin/sh
# The first process of a guest whose kernel may take the CPU from a program of BPF: threads that share a CPU pass probes, and functions
# that keep a value where the kernel of some versions writes are counted.
. /guest-start.sh

mount -t debugfs debug /sys/kernel/debug
section preempt cat /sys/kernel/debug/sched/preempt

export LINEHEAT_ALLOC_INTERVAL=1
section own.record as_user record --freq 199 --alloc --output own.pb.gz -- /bin/own_callers
unset LINEHEAT_ALLOC_INTERVAL
for thread in 0 1 2 3 4 5 6 7; do
	section own.$thread as_user report --thread own_$thread --functions --measure alloc_objects --json --schema 2 own.pb.gz
done
section own.calls.record as_user record --freq 199 --calls 'inner_*' --output calls.pb.gz -- /bin/own_callers
section own.calls as_user report --calls --json calls.pb.gz

section own.syscalls.record as_user record --freq 199 --syscalls --output syscalls.pb.gz -- /bin/own_callers
section own.syscalls as_user report --syscalls --json syscalls.pb.gz

section red.record as_user record --freq 199 --calls '/^keeps_/' --output red.pb.gz -- /bin/red_zone
section red.calls as_user report --calls --json red.pb.gz

echo "@ over"
poweroff -f
