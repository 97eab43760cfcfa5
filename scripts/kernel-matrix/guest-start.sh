# What every first process of a guest begins with: file systems, the serial port that the kernel's command line names ($results), which
# carries no kernel messages, and who may record. `section NAME COMMAND…` prints what a command prints between "@ begin NAME" and
# "@ end NAME STATUS".
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
exec </dev/null >/dev/$results 2>&1
export NO_COLOR=1
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
