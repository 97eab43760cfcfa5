#!/bin/sh
# The first process of a guest that runs tests of the Rust crates: each program below /tests, in the folder of its crate,
# which the list names beside it. Prints "@ begin NAME" and "@ end NAME STATUS" around what each prints.
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmp /tmp
/bin/busybox --install -s /bin
[ -e /usr/bin ] || ln -s /bin /usr/bin
exec </dev/null >/dev/$results 2>&1

while read -r program folder; do
	cd "$folder"
	echo "@ begin $program"
	/tests/$program --show-output
	status=$?
	echo # one that died left its line open
	echo "@ end $program $status"
done </tests/list

echo "@ over"
sleep 3 # the port is slower than the power
poweroff -f
