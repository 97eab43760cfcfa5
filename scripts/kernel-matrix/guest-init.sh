#!/bin/sh
# The first process of a guest: records each program as root, as a user whose sampler has capabilities and as one whose sampler
# has none ("bare"), and prints what came of it.
. /guest-start.sh

# A kernel that is locked down is asked for nothing but the cause, before and after that can be seen.
if grep -q lockdown= /proc/cmdline; then
	section unseen.record as_root record --privileged --output unseen.pb.gz -- /bin/hot_line
	mount -t securityfs security /sys/kernel/security
	section locked.mode cat /sys/kernel/security/lockdown
	for who in root user; do
		section $who.locked.doctor as_$who doctor
		section $who.locked.required as_$who record --privileged --output required.pb.gz -- /bin/hot_line
		section $who.locked.record as_$who record --freq 199 --output $who.locked.pb.gz -- /bin/hot_line
		section $who.locked.functions as_$who report --functions --json $who.locked.pb.gz
	done
	echo "@ over"
	poweroff -f
fi

# 199 samples a second: emulated on a busy machine, handling one may take more than a millisecond.
for who in root user bare; do
	section $who.doctor as_$who doctor
	for program in hot_line templates crew; do
		run=$who.$program.pb.gz
		section $who.$program.record as_$who record --freq 199 --output $run -- /bin/$program
		[ -e $run ] || continue
		section $who.$program.functions as_$who report --functions --json --limit 200 $run
		section $who.$program.lines as_$who report --lines --json --limit 20 $run
	done
done

# Waiting time needs hooks of its own: who may have them, and who is refused them.
for who in user bare; do
	run=$who.waits.pb.gz
	section $who.waits.record as_$who record --freq 199 --output $run -- /bin/convoy
	section $who.waits as_$who report --measure wait --functions --json --schema 2 --limit 200 $run
	section $who.waits.lines as_$who report --measure wait --lines --json --schema 2 --limit 20 $run
done

# Whoever may load no BPF program is told of each kind of cost why it is not recorded.
section bare.faults as_bare record --faults --output bare.faults.pb.gz -- /bin/true
section bare.syscalls as_bare record --syscalls --output bare.syscalls.pb.gz -- /bin/true
section bare.alloc as_bare record --alloc --output bare.alloc.pb.gz -- /bin/true
section bare.calls as_bare record --calls member --output bare.calls.pb.gz -- /bin/convoy
section bare.counters as_bare record --counters page-faults --output bare.counters.pb.gz -- /bin/true

# Whom a user may attach to, what a program that protects itself half-way gives, and what the sampler may do by then.
if [ -e user.hot_line.pb.gz ]; then
	$as_uid_1000 /bin/secrets plain 300 >own &
	own=$!
	/bin/secrets plain 300 >foreign &
	foreign=$!
	$as_uid_1000 /bin/secrets private 300 >private &
	private=$!
	until [ -s own ] && [ -s foreign ] && [ -s private ]; do sleep 1; done
	kill -STOP $foreign $private # they are asked about, no more
	section user.foreign as_user record --output foreign.pb.gz --duration 1 --pid $foreign
	section user.private as_user record --output private.pb.gz --duration 1 --pid $private
	section user.init as_user record --output init.pb.gz --duration 1 --pid 1
	kill -KILL $foreign $private
	{
		as_user record --freq 199 --output own.pb.gz --duration 10 --pid $own >own.told 2>&1
		touch own.done
	} &
	recording=$!
	# The last one before its end: everything is loaded and attached long before. A slow guest sees few of them.
	until [ -e own.done ]; do
		sampler=$(pidof lineheat-sampler) && cat /proc/$sampler/status >status.now && mv status.now status
		sleep 1
	done
	section user.status cat status
	wait $recording
	section user.own as_user report --json own.pb.gz
	kill -KILL $own
	section user.later.record as_user record --freq 199 --output later.pb.gz -- /bin/secrets later 4
	section user.later as_user report --json later.pb.gz
fi

# What Debian ships: perf_event_open asks for cap_sys_admin, which the sampler of an ordinary user does not have.
echo 3 >/proc/sys/kernel/perf_event_paranoid
section refused.record as_user record --output refused.pb.gz -- /bin/hot_line
section refused.doctor as_user doctor
for kind in --faults --syscalls --alloc "--calls main" "--counters page-faults"; do
	section refused.${kind%% *} as_user record $kind --output refused.pb.gz -- /bin/hot_line
done
section admin.record as_admin record --freq 199 --output admin.pb.gz -- /bin/hot_line
section admin.report as_admin report --json admin.pb.gz

echo "@ over"
poweroff -f
