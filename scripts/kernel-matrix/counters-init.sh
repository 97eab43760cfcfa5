#!/bin/sh
# The first process of a guest whose CPU has hardware counters, and whose clock counts instructions: records a program that executes
# a known number of them.
. /guest-start.sh

section doctor as_user doctor
# Interrupts are few: what they execute is counted, too.
section two.record as_user record --freq 99 --counters cycles,instructions --output two.pb.gz -- /bin/counted_loops
section two.text as_user report --lines --measure instructions --limit 5 two.pb.gz
section two.lines as_user report --lines --measure instructions --json --schema 2 --limit 5 two.pb.gz

# Eight events are more than the CPU has counters: four that the emulator has, and four by number, of which two are the first ones again.
many=cycles,instructions,stalled-cycles-frontend,stalled-cycles-backend,r8,r11,r0,r3c
section many.record as_user record --freq 99 --counters $many --output many.pb.gz -- /bin/counted_loops
section many.text as_user report --lines --measure instructions --limit 5 many.pb.gz
section many.lines as_user report --lines --measure instructions --json --schema 2 --limit 5 many.pb.gz

echo "@ over"
poweroff -f
