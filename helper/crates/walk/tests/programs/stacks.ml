(* Calls from OCaml to C and back, garbage collection, exceptions, deep recursion. *)
external trap : unit -> unit = "trap"
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
exception Found of int
let find limit = try List.iter (fun n -> if n > limit then raise (Found n)) (List.init 20 Fun.id); 0 with Found n -> n
let table = Hashtbl.create 7
let () =
  trap ();
  for n = 1 to 40 do
    Hashtbl.replace table (string_of_int n) (find n + deep n);
    ignore (List.sort (fun a b -> compare b a) [n; 3; 2]);
    ignore (Sys.opaque_identity (Array.init 100 float_of_int));
    ignore (Printf.sprintf "%d %f" n (exp (float_of_int n)))
  done;
  Gc.full_major ();
  trap ();
  print_int (Hashtbl.length table)
