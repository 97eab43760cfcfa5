#!/bin/sh
# The first process of a guest that runs tests of the Rust crates: each program of /tests, in the folder of its crate and
# with the arguments that the list names beside it. Prints "@ begin NAME" and "@ end NAME STATUS" around what each prints.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=755 run /run
chmod 1777 /tmp
# The port is no terminal of the tests'.
exec </dev/null >/dev/$results 2>&1
busybox ip link set lo up
busybox hostname guest

# Emulated, a sample takes so long that the kernel would lower the rate that it allows.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# Tests read files of the checkout by the path that they were built in.
read -r checkout </tests/checkout-path
mkdir -p "$checkout"
mount --bind /tests/checkout "$checkout"

while read -r program folder arguments; do
	cd "$folder"
	echo "@ begin $program"
	/tests/programs/$program --show-output $arguments
	status=$?
	echo # one that died left its line open
	echo "@ end $program $status"
done </tests/list

echo "@ over"
sleep 3 # the port is slower than the power
busybox poweroff -f
