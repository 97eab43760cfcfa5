(* Encodes trees of values as text, recursively. With `each` it asks for every value whether all below it may be encoded,
   though asking once, at the top (`once`), is enough: the check walks what the encoding is going to walk anyway.

     encode each|once ROUNDS *)

type value =
  | Number of int
  | Text of string
  | List of value list
  | Record of (string * value) list

exception Not_encodable of string

(* Raises when a text holds a control character; walks everything below the value. *)
let rec check value =
  match value with
  | Number _ -> ()
  | Text text -> check_text text
  | List values -> List.iter check values
  | Record fields ->
      List.iter
        (fun (name, field) ->
          check_text name;
          check field)
        fields

and check_text text =
  String.iter (fun c -> if Char.code c < 32 then raise (Not_encodable text)) text

let escape buffer text =
  Buffer.add_char buffer '"';
  String.iter
    (fun c ->
      match c with
      | '"' | '\\' ->
          Buffer.add_char buffer '\\';
          Buffer.add_char buffer c
      | c -> Buffer.add_char buffer c)
    text;
  Buffer.add_char buffer '"'

let rec encode ~check_each buffer value =
  if check_each then check value;
  match value with
  | Number n -> Buffer.add_string buffer (string_of_int n)
  | Text text -> escape buffer text
  | List values ->
      Buffer.add_char buffer '[';
      List.iteri
        (fun i item ->
          if i > 0 then Buffer.add_char buffer ',';
          encode ~check_each buffer item)
        values;
      Buffer.add_char buffer ']'
  | Record fields ->
      Buffer.add_char buffer '{';
      List.iteri
        (fun i (name, field) ->
          if i > 0 then Buffer.add_char buffer ',';
          escape buffer name;
          Buffer.add_char buffer ':';
          encode ~check_each buffer field)
        fields;
      Buffer.add_char buffer '}'

let rec tree random depth =
  if depth = 0 then
    if Random.State.bool random then Number (Random.State.int random 1_000_000)
    else Text (String.make (5 + Random.State.int random 20) 'x')
  else if Random.State.bool random then
    List (List.init 3 (fun _ -> tree random (depth - 1)))
  else
    Record (List.init 3 (fun i -> (Printf.sprintf "field%d" i, tree random (depth - 1))))

(* A value that cannot be encoded is left out: the exception crosses the recursion. *)
let encoded ~check_each value =
  let buffer = Buffer.create 1024 in
  try
    if not check_each then check value;
    encode ~check_each buffer value;
    Buffer.contents buffer
  with Not_encodable _ -> ""

let () =
  let mode = if Array.length Sys.argv > 1 then Sys.argv.(1) else "each" in
  let rounds = if Array.length Sys.argv > 2 then int_of_string Sys.argv.(2) else 100 in
  let random = Random.State.make [| 7 |] in
  let bytes = ref 0 in
  for round = 1 to rounds do
    let value = tree random 8 in
    let value = if round mod 5 = 0 then List [ value; Text "\n" ] else value in
    bytes := !bytes + String.length (encoded ~check_each:(mode = "each") value)
  done;
  Printf.printf "{\"sum\":\"%x\",\"cpuNs\":%.0f,\"endedNs\":\"%.0f\"}\n" !bytes (Sys.time () *. 1e9)
    (Unix.gettimeofday () *. 1e9)
