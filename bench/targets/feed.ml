(* One thread makes values, slowly; the other one waits for each. *)
let mutex = Mutex.create ()
let came = Condition.create ()
let ready = ref 0

let consume rounds =
  for _ = 1 to rounds do
    Mutex.lock mutex;
    while !ready = 0 do
      Condition.wait came mutex (* the wait *)
    done;
    decr ready;
    Mutex.unlock mutex
  done

let produce rounds =
  for _ = 1 to rounds do
    Unix.sleepf 0.01; (* the sleep *)
    Mutex.lock mutex;
    incr ready;
    Condition.signal came;
    Mutex.unlock mutex
  done

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let consumer = Thread.create consume rounds in
  produce rounds;
  Thread.join consumer
