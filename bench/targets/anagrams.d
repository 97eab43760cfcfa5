/* Groups words that have the same letters: sorts by a closure, hashes strings, and looks words up in a tree recursively, out
   of which an exception leads where a word is missing.

     anagrams ROUNDS */
import core.stdc.time : CLOCKS_PER_SEC, clock;
import std.conv : to;
import std.datetime.systime : Clock;
import std.stdio : writefln;

enum wordsPerRound = 10_000;
enum lookupsPerRound = 2000;

class Missing : Exception
{
    this(string word)
    {
        super(word);
    }
}

/* One letter of the words that begin alike. */
class Node
{
    Node[26] next;
    string[] words;
}

uint draw()
{
    static uint state = 2_463_534_242;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

string word()
{
    auto letters = new char[](3 + draw() % 8);
    foreach (ref letter; letters)
        letter = cast(char)('a' + draw() % 7);
    return letters.idup;
}

/* Merge sort. */
T[] sorted(T)(T[] items, bool delegate(T, T) before)
{
    if (items.length < 2)
        return items.dup;
    auto left = sorted(items[0 .. $ / 2], before);
    auto right = sorted(items[$ / 2 .. $], before);
    T[] merged;
    merged.reserve(items.length);
    while (left.length > 0 && right.length > 0)
    {
        auto from = before(right[0], left[0]) ? &right : &left;
        merged ~= (*from)[0];
        *from = (*from)[1 .. $];
    }
    return merged ~ left ~ right;
}

string letters(string word)
{
    return sorted!char(word.dup, (a, b) => a < b).idup;
}

void insert(Node node, string rest, string word)
{
    if (rest.length == 0)
    {
        node.words ~= word;
        return;
    }
    auto next = &node.next[rest[0] - 'a'];
    if (*next is null)
        *next = new Node;
    insert(*next, rest[1 .. $], word);
}

/* How many words are equal to the one whose `rest` is looked for below the node. */
size_t found(Node node, string rest, string word)
{
    if (rest.length == 0)
        return node.words.length;
    auto next = node.next[rest[0] - 'a'];
    if (next is null)
        throw new Missing(word);
    return found(next, rest[1 .. $], word);
}

/* The exception crosses the recursion: gdc 12 finds no handler in a function that recurs into itself. */
size_t lookedUp(Node tree, string word)
{
    try
        return found(tree, word, word);
    catch (Missing missing)
        return missing.msg.length;
}

size_t round()
{
    string[][string] groups;
    auto tree = new Node;
    foreach (i; 0 .. wordsPerRound)
    {
        auto one = word();
        groups[letters(one)] ~= one;
        insert(tree, one, one);
    }
    auto keys = sorted!string(groups.keys,
            (a, b) => groups[a].length == groups[b].length ? a < b : groups[a].length > groups[b].length);
    size_t sum = groups[keys[0]].length;
    foreach (i; 0 .. lookupsPerRound)
        sum += lookedUp(tree, word());
    return sum;
}

void main(string[] arguments)
{
    const rounds = arguments.length > 1 ? arguments[1].to!int : 10;
    size_t sum;
    foreach (i; 0 .. rounds)
        sum += round();
    const cpuNs = clock() * (1_000_000_000L / CLOCKS_PER_SEC);
    writefln!"{\"sum\":\"%x\",\"cpuNs\":%d,\"endedNs\":\"%d\"}"(sum, cpuNs,
            (Clock.currStdTime() - 621_355_968_000_000_000L) * 100);
}
