"""The page: `tacita app`, a local web page for those who protect data without code.

The server holds no data and loads no library that could: it imports the standard library, starlette, uvicorn,
jinja2 and the ground floor of tacita (`core.spec`, `core.display`), and leaves all work on data to a
worker process. What it keeps is small: which browser has which folder, the chosen roles, the history of
plans with their figures.

  server/   no screen of its own
    server            the address, the start, the end         cleanup         deletes, however the server dies
    application       what the whole server holds             request_guard   stands before every route
    login             token to cookie                         workspaces      what one browser has
    worker_processes  processes that compute                  jobs            a question, its progress, cancel
    events            the one stream of a page                history         plans that were run, as a tree
    uploads           a file, streamed to disk                auxiliary_files files that belong to the data
    plan_basis        what a plan stands on                   refusals        why a run was refused, in words
    pages, texts      templates, words, the frame             risk_map        loss against risk of all runs
  screens/  one file a screen: its routes; and the state of plans
    draft_plan        the plan that is about to be run        import_plan     what of an opened plan is held
    table_state       the settings of a table   hierarchy_state hierarchies, added or made
    runs              a plan that is run                      results         figures of runs side by side
    downloads         a fixed list, of verified runs
  worker/   the process that computes: JSON lines in, the verbs of `tacita.api`, JSON lines out
  templates/ texts/ static/

How a screen is added
  1. `screens/NAME.py`: functions from a request to a response, and at its end `ROUTES` (starlette's) and
     `SCREEN = Screen(work, step, path, ready=...)`, which makes it a step of the rail once `ready(work)`;
     then a line in `screens/__init__.py`. The work of the browser is `work_of(request)`. A POST changes
     something and answers `seen_at(path)` (303), so that back button and reload work. Forms come by
     `await fields_of(request)`.
  2. `templates/NAME.html` extends `frame.html` and fills the blocks `main` and `side`; `parts.html` has
     macros (running, verdict, history, map, empty). No inline script or style: the content policy forbids
     them. Every test id of the specification is a `data-testid`. `page(request, "NAME.html", ...)` renders.
  3. `texts/en.json`, `pt.json`, `ca.json`: keys `NAME.word`, in templates `t("NAME.word", count=3)`; a test
     compares keys and placeholders.
  4. `static/NAME.js`: an ES module, in the block `scripts` of the template. `on(event, listener)` of
     `events.js` calls a function with each event of the one stream of the page.

A new verb about data goes into `worker/` (see there). To call it: `job = start(request, work, verb,
arguments, then=...)`; `then(answer)` is called in the server when it is done. `await job.settled(1.0)` before
the 303 saves quick answers a second page. A page with a running job shows `parts.running(job)`: stage,
share, seconds, Cancel, and for searches Stop and keep; the stream moves it, and reloads the page when it
ends. Other events of a verb (bounds, iterations) reach the browser as an event of that name.

A node of the history is made by `run_plan(workspace, work, source, plan)` of `runs.py`, a plan of records
with its sections `roles` (from `roles_of(work)`), `protect`, `steps`, ...: `history.begin`, a job, and
`history.end` with what came of it. A node never changes after that. Its files lie in `work.folder_of(node)`;
`downloads` serves those of verified nodes alone. Start nothing while `work.running`. A comparison gets
its trials from the verb `grid` and runs each as a plan. `site.catalogue()` has the schemas of all methods.
"""
