#!/bin/sh
# The first process of a guest: records each program as root, as a user whose sampler has capabilities and as one whose sampler
# has none ("bare"), and prints what came of it between
# "@ begin NAME" and "@ end NAME STATUS" on the serial port that the kernel's command line names ($results), which carries
# no kernel messages.
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
exec </dev/null >/dev/$results 2>&1
cd /tmp # all that follows is written here

section() {
	name=$1
	shift
	echo "@ begin $name"
	"$@"
	status=$?
	echo
	echo "@ end $name $status"
}

# File capabilities are part of no cpio archive: they are set here, on a file system that keeps them.
mkdir -m 755 capable
cp /bin/lineheat /bin/lineheat-sampler /bin/liblineheat_alloc.so capable
/bin/setcap cap_bpf,cap_perfmon=ep capable/lineheat-sampler

mkdir -m 755 admin
cp /bin/lineheat /bin/lineheat-sampler /bin/liblineheat_alloc.so admin
/bin/setcap cap_bpf,cap_perfmon,cap_sys_admin=ep admin/lineheat-sampler

as_root() { /bin/lineheat "$@"; }
as_uid_1000="/bin/setpriv --reuid 1000 --regid 1000 --clear-groups"
as_user() { $as_uid_1000 capable/lineheat "$@"; }
as_admin() { $as_uid_1000 admin/lineheat "$@"; }
as_bare() { $as_uid_1000 /bin/lineheat "$@"; }

section release cat /proc/sys/kernel/osrelease
# Emulated, a sample takes so long that the kernel would lower the rate that it allows.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 2 >/proc/sys/kernel/perf_event_paranoid

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
	as_user record --freq 199 --output own.pb.gz --duration 10 --pid $own >own.told 2>&1 &
	recording=$!
	until [ -s own.pb.gz.journal ]; do sleep 1; done
	# The last one before its end: everything is loaded and attached long before.
	while sampler=$(pidof lineheat-sampler) && cat /proc/$sampler/status >status.now; do
		mv status.now status
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
section admin.record as_admin record --freq 199 --output admin.pb.gz -- /bin/hot_line
section admin.report as_admin report --json admin.pb.gz

echo "@ over"
poweroff -f
