# SPDX-License-Identifier: MIT
"""The page in a real browser, before a gateway that is made up: what a person does with it.

    python3 tests/web/page/page_test.py [-v] [NAME...]

Skips with status 77, and says so, where there is no Chromium.
"""
import base64
import json
import tomllib

import answers
import page_case
from page_case import PageCase, kRowsMax
from stub import Stub
from world import World, kHostile, now_ns

browser = None


def setUpModule():
    global browser
    browser = page_case.start_browser()


class LoginTest(PageCase):
    logged_in = False
    expected = ("status of 401",)

    def test_link_logs_in_once(self):
        link = self.stub.link()
        browser.open(link)
        browser.until_text("Cluster shore")
        self.assertEqual(browser.evaluate("location.hash"), "#/overview")
        browser.click("button", "Log out")
        browser.until_text("dunlin web login")
        self.assertEqual(len(self.stub.sessions), 0)
        browser.open("about:blank")
        browser.open(link)
        browser.until_text("codes work once")

    def test_without_a_code_says_how(self):
        browser.open(self.stub.url)
        browser.until_text("dunlin web login")
        browser.fill("input", self.stub.link())
        browser.click("button", "Log in")
        browser.until_text("Cluster shore")

    def test_goes_where_the_link_wanted(self):
        browser.open(self.stub.url + "#/nodes?state=sick")
        browser.until_text("dunlin web login")
        browser.fill("input", self.stub.link())
        browser.click("button", "Log in")
        browser.until_text("no space left")

    def test_session_that_ends_leads_back(self):
        browser.open(self.stub.link())
        browser.until_text("Cluster shore")
        self.stub.sessions.clear()
        browser.click("nav a", "Jobs")
        browser.until_text("dunlin web login")


class JobsTest(PageCase):
    def test_filters_are_in_the_address(self):
        self.go("jobs")
        browser.click("main nav a", "failed")
        browser.until("location.hash.includes('state=failed')")
        browser.until_text("task 3: exit 1")
        browser.fill("main input", "train-*")
        browser.until("location.hash.includes('name=train-*')")
        browser.until("[...document.querySelectorAll('td.name a')].every(each => each.textContent === 'train-lm')")
        browser.until("!!document.querySelector('td.name a')")
        browser.click("button", "Without filters")
        browser.until("!location.hash.includes('name=')")

    def test_next_page_and_back(self):
        self.go("jobs?all=1")
        first = browser.evaluate("document.querySelector('td.name .two').textContent")
        browser.click("a", "Next page")
        browser.until(f"document.querySelector('td.name .two').textContent !== {json.dumps(first)}")
        browser.evaluate("history.back()")
        browser.until(f"document.querySelector('td.name .two').textContent === {json.dumps(first)}")

    def test_empty_list_says_what_to_do(self):
        self.go("jobs?name=nothing")
        browser.until_text("No job matches these filters")


class JobTest(PageCase):
    def test_says_why_it_waits(self):
        self.go("job/JOB4")
        browser.until_text("are large enough and lack memory now")
        browser.until_text("have room now")

    def test_cancel_asks_first(self):
        self.go("job/JOB3")
        browser.click("main .head button", "Cancel")
        browser.click("dialog button", "Not now")
        browser.until("!document.querySelector('dialog')")
        self.assertEqual(self.stub.world.changed, [])
        browser.click("main .head button", "Cancel")
        browser.click("dialog button", "Cancel the job")
        browser.until("document.querySelector('main .head .state').textContent === 'cancelled'")
        self.assertEqual(self.stub.world.changed, [("POST", f"jobs/{self.name(3)}/cancel", {})])

    def test_priority_and_hold(self):
        self.go("job/JOB3")
        browser.click("main .head button", "Priority")
        browser.fill("dialog input", "77")
        browser.click("dialog button", "Set it")
        browser.until_text("priority 77")
        browser.click("main .head button", "Hold")
        browser.until_text("Release")
        self.assertEqual([each[:2] for each in self.stub.world.changed],
                         [("PATCH", f"jobs/{self.name(3)}"), ("POST", f"jobs/{self.name(3)}/hold")])

    def test_news_do_not_undo_what_is_typed(self):
        self.go("job/JOB3")
        self.wait_topics({f"job:{self.name(3)}"})
        browser.click("main .head button", "Priority")
        browser.fill("dialog input", "77")
        job = self.stub.world.jobs[2]
        self.stub.tell(f"job:{self.name(3)}", {**job, "priority": 51, "as_of_ns": now_ns()})
        browser.until_text("priority 51")
        self.assertEqual(browser.evaluate("document.querySelector('dialog input').value"), "77")

    def test_counts_lead_to_tasks(self):
        self.go("job/JOB3")
        browser.click("main .legend a", "failed")
        browser.until("location.hash.includes('state=failed')")
        browser.until_text("input part 17 is missing")
        browser.until_text("50 of 5\u202f000 tasks")

    def test_large_job_shows_which_tasks_stand_where(self):
        column = "main svg a[aria-label^=\"Tasks \"]"
        self.go("job/JOB3")
        browser.until_text("Which tasks")
        browser.until(f"document.querySelectorAll('{column}').length === 100")
        self.assertIn("after=10000", browser.evaluate(f"document.querySelectorAll('{column}')[1].getAttribute('href')"))
        self.go("job/JOB5")
        browser.until_text("Over time")
        self.assertNotIn("Which tasks", browser.evaluate("document.body.textContent"))

    def test_hostile_name_is_text(self):
        self.go("job/JOB5")
        self.assertEqual(browser.evaluate("document.querySelector('h1').textContent"), kHostile)


class LiveTest(PageCase):
    def topic(self):
        return f"job:{self.name(3)}"

    def hide(self, hidden):
        state = "hidden" if hidden else "visible"
        browser.evaluate(f"Object.defineProperty(document, 'visibilityState', {{value: '{state}', configurable: true}});"
                         "document.dispatchEvent(new Event('visibilitychange'))")

    def test_news_change_the_page_without_a_question(self):
        self.go("job/JOB3")
        self.wait_topics({self.topic()})
        before = len(self.asked("/v1/jobs/"))
        job = self.stub.world.jobs[2]
        counts = {**job["counts"], "done": 700_000, "waiting": 294_360}
        self.stub.tell(self.topic(), {**job, "counts": counts, "as_of_ns": now_ns()})
        browser.until_text("700\u202f000 done")
        self.assertEqual(len(self.asked("/v1/jobs/")), before)

    def test_hears_only_of_what_is_seen(self):
        self.go("job/JOB3")
        self.wait_topics({self.topic()})
        self.go("nodes")
        self.wait_topics({"nodes"})
        self.hide(True)
        self.wait_topics(set())
        self.stub.asked.clear()
        browser.rest(1.0)
        self.assertEqual(self.stub.asked, [], "a hidden tab asks")
        self.hide(False)
        self.wait_topics({"nodes"})
        self.assertTrue(self.asked("/v1/nodes"))

    def test_reset_asks_anew(self):
        self.go("jobs")
        self.wait_topics({"jobs"})
        self.stub.world.jobs[2]["name"] = "renamed"
        self.stub.tell("jobs", {"why": "lost"}, "reset")
        browser.until_text("renamed")

    def test_events_come(self):
        self.go("events")
        self.wait_topics({"events"})
        self.stub.tell("events", {"dropped": 0, "events": [{"at_ns": now_ns(), "level": "warn", "event": "task_lost",
                                                            "fields": {"why": kHostile}}]})
        browser.until_text("task lost")


class AwayTest(PageCase):
    expected = ("status of 503", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE", "status of 401")

    def test_agent_goes_and_comes_back(self):
        self.go("nodes")
        self.wait_topics({"nodes"})
        self.stub.away = True
        self.stub.tell("", {"kind": "away", "detail": "the agent does not answer"}, "trouble")
        browser.until_text("The agent behind this page does not answer")
        self.stub.away = False
        browser.until("!document.body.innerText.includes('does not answer')")

    def test_gateway_is_killed_and_restarted(self):
        self.go("jobs")
        self.wait_topics({"jobs"})
        port, sessions = self.stub.server_port, self.stub.sessions
        self.stub.close()
        browser.click("nav a", "Nodes")
        browser.until_text("The gateway does not answer")
        self.stub = Stub(port=port)
        self.addCleanup(self.stub.close)
        self.stub.sessions = sessions
        browser.until("!document.body.innerText.includes('does not answer')", 15)
        browser.until_text("wader02")


class LogTest(PageCase):
    def test_shows_the_end_and_more(self):
        self.go("job/JOB3/task/7")
        browser.until_text("step  1499")
        browser.until_text("are not shown")
        self.assertFalse(browser.evaluate("document.querySelector('.log').textContent.includes('step    21 ')"))
        for _ in range(6):
            if browser.evaluate("[...document.querySelectorAll('button')].some(each => /more$/.test(each.textContent))"):
                browser.click("button", "more")
                browser.rest(0.3)
        browser.until("!document.body.innerText.includes('are not shown')")
        self.assertLessEqual(browser.evaluate("document.querySelector('.rows').children.length"), kRowsMax)

    def test_control_characters_and_long_lines(self):
        self.go("job/JOB3/task/7")
        lines = browser.evaluate("""import('./page/base/log_buffer.js').then(({shownLine}) =>
          ['\\x1b[31mred\\x1b[0m \\x07<b>', 'x'.repeat(1000000), '10 %\\r100 %', 'a\\u202eb'].map(shownLine))""")
        self.assertEqual(lines[0], "red \u2407<b>")
        self.assertLess(len(lines[1]), 5000)
        self.assertEqual(lines[2:], ["100 %", "a\ufffdb"])

    def test_search(self):
        self.go("job/JOB3/task/7")
        browser.until_text("step  1499")
        browser.fill("main input[type=search]", "STEP  1444")
        browser.until_text("1 of 1")
        browser.until("document.querySelector('mark.now')?.textContent === 'step  1444'")

    def test_pieces_that_overlap_or_are_missing(self):
        told = browser.evaluate("""import('./page/base/log_buffer.js').then(({LogBuffer}) => {
          const text = new TextEncoder().encode('one\\ntw\\u00f6\\nthree');
          const log = new LogBuffer();
          const first = log.append(10, text.slice(0, 7));       // Ends within a letter.
          const again = log.append(12, text.slice(2, 9));
          const gap = log.append(30, text);
          log.append(19, text.slice(9));
          const lines = [...log.lines];
          log.prepend(new TextEncoder().encode('zero\\n'));
          return {first, again, gap, lines, more: log.lines, begin: log.begin, end: log.end};
        })""")
        self.assertEqual(told, {"first": True, "again": True, "gap": False, "lines": ["one", "twö", "three"],
                                "more": ["zero", "one", "twö", "three"], "begin": 5, "end": 24})

    def test_what_is_written_appears(self):
        job = self.stub.world.jobs[2]
        running = job["counts"]["done"] + job["counts"]["failed"] + 1
        self.stub.ended = False
        self.go(f"job/JOB3/task/{running}")
        browser.until_text("step  1499")
        end = len(self.stub.world.output())
        topic = f"log:{self.name(3)}.{running}"
        for _ in range(100):
            if topic in self.stub.topics():
                break
            browser.rest(0.05)
        self.stub.tell(topic, {"attempt": 2, "offset": end, "total": end + 9, "next": end + 9, "ended": True,
                               "data": base64.b64encode(b"the last\n").decode()})
        browser.until_text("the last")


class NodeTest(PageCase):
    def test_drain_with_a_reason(self):
        self.go("node/wader02")
        browser.click("main button", "Drain")
        browser.fill("dialog input", "new disks")
        browser.choose("dialog select", "3600")
        browser.click("dialog button", "Drain it")
        browser.until_text("It is drained by anna@wader01")
        self.assertEqual(self.stub.world.changed,
                         [("POST", "nodes/wader02/drain", {"on": True, "reason": "new disks", "lasts_ns": 3600 * 10**9})])
        browser.click("main button", "Take tasks again")
        browser.until("document.querySelector('main .head .state').textContent === 'up'")

    def test_sick_node_is_three_clicks_away(self):
        self.go("overview")
        browser.click("main a", "1 node is sick")
        browser.until_text("no space left in")
        browser.click("td.name a")
        browser.until_text("It is sick: three tasks in a row")


class OverlayTest(PageCase):
    """24 nodes, two of which no other knows any more."""

    expected = ("status of 504", "status of 400", "status of 404", "status of 429")

    def go(self, page):
        super().go(page)
        browser.until_text("that were named")
        browser.until("/have answered[.]/.test(document.body.innerText)")

    def questions(self):
        return [each for each in self.stub.asked if each.endswith("overlay")]

    def point_at_the_middle(self, number, kind):
        browser.evaluate(f"""(() => {{
          const canvas = document.querySelectorAll('canvas')[{number}], box = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new PointerEvent('{kind}', {{bubbles: true, clientX: box.left + box.width / 2,
                                                            clientY: box.top + box.height / 2}}));
        }})()""")

    def test_each_node_is_asked_once_and_drawn(self):
        self.go("overlay")
        browser.until_text("22 nodes of 22 that were named have answered")
        self.assertEqual(len(self.questions()), 22)
        self.assertEqual(len(set(self.questions())), 22)
        drawn = browser.evaluate("[...document.querySelectorAll('canvas')].map(each => each.getContext('2d')"
                                 ".getImageData(0, 0, each.width, each.height).data.some(value => value > 0))")
        self.assertEqual(drawn, [True, True])
        browser.rest(1.0)
        self.assertEqual(len(self.questions()), 22, "nothing is asked again by itself")
        browser.click("button", "Ask again")
        browser.rest(1.0)
        self.assertEqual(len(self.questions()), 44)

    def test_pointing_says_which_nodes_know_which(self):
        self.go("overlay")
        for number in (0, 1):
            browser.until_text("Point at a node")
            self.point_at_the_middle(number, "pointermove")
            browser.until("document.querySelector('main [role=status] strong')?.textContent === 'wader01'")
            browser.until_text("By chance: knows wader")
            self.point_at_the_middle(number, "pointerleave")
        browser.until_text("Point at a node")

    def test_keyboard_has_the_same(self):
        self.go("overlay")
        said = set()
        for table in (0, 1):
            browser.press("j")  # From then on the page has the focus.
            browser.evaluate(f"document.querySelectorAll('main tbody')[{table}].querySelector('a').focus()")
            name = browser.evaluate(f"document.querySelectorAll('main tbody')[{table}].querySelector('a').textContent")
            browser.until(f"document.querySelector('main [role=status] strong')?.textContent === {json.dumps(name)}")
            said.add(name)
        self.assertEqual(len(said), 2)

    def test_leads_from_node_to_node(self):
        self.go("overlay")
        browser.click("main tbody a", "wader02")
        browser.until("location.hash === '#/overlay/wader02'")
        browser.until_text("around wader02")
        self.wait_asked("/v1/nodes/wader02/overlay")
        self.go("overlay")
        self.point_at_the_middle(0, "click")
        browser.until("location.hash === '#/overlay/wader01'")

    def test_rings_are_steps_along_links(self):
        rings = browser.evaluate("""import('./page/parts/rings.js').then(({layout}) => {
          const link = (node, rank) => ({node, rank, link_age_ns: rank ? null : 1});
          const answer = (node, ...neighbours) => [node, {node, neighbours}];
          const told = new Map([answer('a', link('b', 1), link('c', 2), link('x', 3), link('e', null)),
                                answer('b', link('d', 1)), answer('c', link('d', 1), link('a', 2)), answer('d'),
                                answer('e', link('a', 1))]);
          const {rings, places} = layout({first: told.get('a'), told}, 'rank');
          return [rings, ...[...places].map(([node, {ring, beyond}]) => node + ring + (beyond ? '!' : ''))];
        })""")
        self.assertEqual(rings, [3, "a0", "b1", "c1", "d2", "e3!"])

    def test_silent_nodes_are_named(self):
        self.stub.world.silent = {self.stub.world.node("wader03")["node"]}
        self.go("overlay")
        browser.until_text("1 did not answer: wader03")
        browser.until_text("21 nodes of 22")

    def test_nodes_of_an_earlier_build_are_no_failure(self):
        self.stub.world.old = {self.stub.world.node("wader03")["node"]}
        self.go("overlay")
        browser.until_text("wader03 is of an earlier build")
        self.assertNotIn("did not answer", browser.text())

    def test_a_busy_agent_is_asked_once_more(self):
        self.stub.world.busy = {self.stub.world.node("wader03")["node"]}
        self.go("overlay")
        browser.until_text("22 nodes of 22 that were named have answered")
        self.assertEqual(len(self.questions()), 23)

    def test_nodes_that_the_agent_has_not_heard_of_are_counted(self):
        world = self.stub.world
        stranger = {**world.node("wader02"), "node": "f" * 16, "name": "f" * 16}
        world.alive().append(stranger)
        self.go("overlay")
        browser.until_text("1 node that others named cannot be asked")
        self.assertNotIn("did not answer", browser.text())

    def test_hostile_name_is_text(self):
        self.go("overlay")
        names = browser.evaluate("[...document.querySelectorAll('td.name')].map(each => each.textContent)")
        self.assertIn(f"b{kHostile}", names)

    def test_node_that_is_silent_itself(self):
        super().go("overlay/wader12")
        browser.until_text("Wader12 did not answer")
        browser.until_text("Try again")


class AloneTest(PageCase):
    def world(self):
        world = World()
        world.alive = lambda: [world.me]
        return world

    def test_says_what_to_do(self):
        self.go("overlay")
        browser.until_text("wader01 knows no other node.")
        browser.until_text("dunlin launch HOSTS")


class ManyNodesTest(PageCase):
    def world(self):
        return World(nodes=400)

    def asked_after(self, page):
        self.go("nodes")
        self.stub.asked.clear()
        self.go(page)
        browser.until("/have answered[.]/.test(document.body.innerText)", 30)
        return len([each for each in self.stub.asked if each.endswith("overlay")])

    def test_at_most_200_are_asked(self):
        self.assertEqual(self.asked_after("overlay"), 50)
        self.assertEqual(self.asked_after("overlay?nodes=200"), 200)
        self.assertEqual(self.asked_after("overlay?nodes=100000"), 50)
        rows = browser.evaluate("Math.max(...[...document.querySelectorAll('tbody')].map(each => each.children.length))")
        self.assertLessEqual(rows, kRowsMax)

    def test_nothing_is_asked_for_a_hidden_tab(self):
        self.go("nodes")
        hidden = ("Object.defineProperty(document, 'visibilityState', {{value: '{}', configurable: true}});"
                  "document.dispatchEvent(new Event('visibilitychange'))")
        browser.evaluate(hidden.format("hidden"))
        browser.evaluate("location.hash = '#/overlay'")
        browser.rest(1.0)
        self.assertEqual([each for each in self.stub.asked if "overlay" in each], [])
        browser.evaluate(hidden.format("visible"))
        browser.until("/have answered[.]/.test(document.body.innerText)")


class SubmitTest(PageCase):
    expected = ("status of 400", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION")

    def test_form_writes_a_job_file(self):
        self.go("submit")
        browser.fill("textarea[name=command]", 'echo "tab\there" \\ \'q\'')
        browser.fill("input[name=name]", "näme")
        browser.fill("input[name=count]", "12")
        browser.fill("input[name=cpus]", "0.5")
        browser.fill("input[name=memory]", "1.5G")
        browser.click("summary")
        browser.fill("input[name=time_limit]", "1h30m")
        browser.fill("input[name=custom]", "gpu=2")
        browser.fill("textarea[name=environment]", "LEVEL=a=b")
        file = browser.until("document.querySelector('pre.file').textContent.includes('LEVEL')"
                             " && document.querySelector('pre.file').textContent")
        self.assertEqual(tomllib.loads(file), {"name": "näme", "group": [{
            "command": 'echo "tab\there" \\ \'q\'', "count": 12, "cpus": 0.5, "memory": "1536M", "resources": {"gpu": 2},
            "time_limit": "90m", "env": {"LEVEL": "a=b"}, "cwd": "none"}]})
        browser.click("button.main", "Submit")
        browser.until("location.hash.startsWith('#/job/')")
        method, path, body = self.stub.world.changed[0]
        self.assertEqual((method, path), ("POST", "jobs"))
        self.assertEqual(body["groups"][0]["time_limit_ns"], 5400 * 10**9)
        self.assertEqual(body["groups"][0]["demand"], {"cpu_milli": 500, "memory_mib": 1536, "custom": {"gpu": 2}})
        self.assertRegex(self.stub.keys[0], "^[0-9a-f]{32}$")

    def test_mistakes_are_told_in_words(self):
        self.go("submit")
        browser.fill("textarea[name=command]", "true")
        browser.fill("input[name=memory]", "12")
        browser.until_text("Memory is a number with a unit")
        self.assertTrue(browser.evaluate("[...document.querySelectorAll('button.main')].at(-1).disabled"))

    def test_job_again(self):
        self.go("submit?from=JOB3")
        file = browser.until("document.querySelector('pre.file')?.textContent")
        self.assertEqual(tomllib.loads(file)["group"][0]["command"], ["./map", "it's"])
        browser.click("button.main", "Submit")
        browser.until("location.hash.startsWith('#/job/')")
        self.assertEqual(self.stub.world.changed[0][2]["groups"][0]["count"], 1_000_000)

    def test_two_presses_have_one_key(self):
        self.stub.lose_answers = 100  # A browser says it again by itself, on its other connections.
        self.go("submit")
        browser.fill("textarea[name=command]", "true")
        browser.click("button.main", "Submit")
        browser.until_text("The gateway does not answer")
        self.stub.lose_answers = 0
        browser.click("button.main", "Submit")
        browser.until("location.hash.startsWith('#/job/')")
        self.assertGreater(len(self.stub.keys), 1)
        self.assertEqual(len(set(self.stub.keys)), 1)


class UserTest(PageCase):
    administrator = False
    expected = ("status of 403",)

    def test_may_do_less(self):
        self.go("node/wader02")
        self.assertNotIn("Drain", browser.text())
        self.assertNotIn("Audit log", browser.text())

    def test_job_of_another_is_told_in_short(self):
        self.go("job/JOB5")
        browser.until_text("Only its owner and administrators see more of it")
        self.assertNotIn("Retry", browser.text())


class KeysTest(PageCase):
    def test_pages_rows_and_help(self):
        browser.press("g")
        browser.press("n")
        browser.until("document.querySelector('main h1').textContent === 'Nodes' && !!document.querySelector('tbody a')")
        browser.press("j")
        browser.until("!!document.activeElement.closest('tbody tr')")
        browser.press("/")
        browser.until("document.activeElement.tagName === 'INPUT'")
        browser.evaluate("document.activeElement.blur()")
        browser.press("?")
        browser.until("document.querySelector('dialog')?.open")
        browser.press("Escape")
        browser.until("!document.querySelector('dialog')")

    def test_theme_is_kept(self):
        browser.choose(".foot select", "dark")
        browser.until("document.documentElement.dataset.theme === 'dark'")
        browser.evaluate("location.reload()")
        browser.until("document.documentElement.dataset.theme === 'dark' && !!document.querySelector('main h1')")
        browser.choose(".foot select", "system")


class FinderTest(PageCase):
    expected = ("status of 404",)

    def find(self, text, address):
        browser.fill("input.find", text)
        browser.press("Enter")
        browser.until(f"decodeURIComponent(location.hash).startsWith({json.dumps(address)})")

    def test_leads_to_jobs_and_nodes(self):
        self.find(self.name(4), f"#/job/{self.name(4)}")
        self.find("wader02", "#/node/wader02")
        self.find("wader1", "#/nodes?name=wader1")
        self.find("train", "#/jobs?name=*train*")


class SharesTest(PageCase):
    def test_balances_over_time_and_lending(self):
        self.go("cells")
        browser.until_text("Saved over time")
        browser.until("!!document.querySelector('[aria-label^=\"Saved by each class\"] canvas')")
        label = browser.evaluate("document.querySelector('[aria-label^=\"Saved by each class\"]').ariaLabel")
        self.assertIn("gold", label)
        self.assertIn("silver", label)
        browser.until_text("Borrows: gold")

    def test_a_new_manager_remembers_nothing(self):
        told = answers.kOther["shares"]
        self.addCleanup(answers.kOther.update, shares=told)
        answers.kOther["shares"] = lambda world, query: {**told(world, query), "past": {"step_ns": 60 * 10**9, "classes": []}}
        self.go("cells")
        browser.until_text("Managers note what each class has saved once a minute")


class GuardTest(PageCase):
    expected = ("TypeError",)

    def test_answer_of_another_version_spoils_one_page(self):
        answer = answers.kOther["plan"]
        self.addCleanup(answers.kOther.update, plan=answer)
        answers.kOther["plan"] = lambda world, query: {"policy": "deadline"}
        browser.evaluate("location.hash = '#/plan'")
        browser.until_text("This page failed")
        self.go("nodes")
        browser.until_text("wader02")


if __name__ == "__main__":
    page_case.main()
