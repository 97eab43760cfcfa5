# Queries over tables like those of TPC-H, on two threads, for so many seconds. Its log has lines as that of pgbench: client, query, time in us.
import sys
import time

import duckdb

seconds, log = float(sys.argv[1]), sys.argv[2]
db = duckdb.connect()
db.execute("set threads = 2")
db.execute("select setseed(0.5)")
db.execute(
    """create table orders as select i as orderkey, hash(i) % 2500 as custkey, date '1992-01-01' + (hash(i + 1) % 2400)::integer as orderdate,
    (hash(i + 2) % 5)::integer as priority from range(25000) t(i)"""
)
db.execute(
    """create table lineitem as select hash(i) % 25000 as orderkey, hash(i + 1) % 20000 as partkey, (hash(i + 2) % 50)::double + 1 as quantity,
    (hash(i + 3) % 100000)::double / 100 as price, (hash(i + 4) % 10)::double / 100 as discount, chr(65 + (hash(i + 5) % 3)::integer) as flag,
    date '1992-01-01' + (hash(i + 6) % 2500)::integer as shipdate from range(100000) t(i)"""
)
QUERIES = [
    "select flag, sum(quantity), sum(price * (1 - discount)), avg(discount), count(*) from lineitem where shipdate <= date '1998-09-02' group by flag",
    "select sum(price * discount) from lineitem where shipdate between date '1994-01-01' and date '1994-12-31' and discount between 0.05 and 0.07 and quantity < 24",
    """select orderkey, sum(price * (1 - discount)) as revenue, orderdate from lineitem join orders using (orderkey)
    where orderdate < date '1995-03-15' and shipdate > date '1995-03-15' group by all order by revenue desc limit 10""",
    "select priority, count(*) from orders where exists (select 1 from lineitem where lineitem.orderkey = orders.orderkey and quantity > 40) group by priority",
    "select custkey, count(*) as n from orders group by custkey order by n desc, custkey limit 20",
    "select partkey, sum(quantity) over (partition by partkey % 100 order by shipdate) as running from lineitem where quantity > 48 order by running desc limit 5",
]
with open(log, "w") as out:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for number, query in enumerate(QUERIES):
            start = time.perf_counter_ns()
            db.execute(query).fetchall()
            out.write(f"0 {number} {(time.perf_counter_ns() - start) // 1000}\n")
