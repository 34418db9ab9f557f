"""What Moodle and Canvas export about a class of sixty, as their code writes it: the worksheet and the gradebook.

The columns follow mod/assign/gradingtable.php of Moodle and lib/gradebook_exporter.rb of Canvas.
"""

from .made_up_class import NAMES

FAMILIES = (
    "Lovelace",
    "Noether, Jr.",
    'O"Neill',
    "Núñez",
    "Ðorđević",
    "李",
    "van der Berg",
    "=1+1",
    "-2+3",
    "@SUM(A1)",
)
GIVEN = ("Ada", "Zoë", "Jean-Luc", "明", "Åse", "Bo")
MOODLE_ZONE_TIME = "Thursday, 19 November 2026, 11:{:02d} PM"


def quoted(cell, delimiter=","):
    """A cell as PHP's fputcsv writes it: quotes if it has a space, a quote, a delimiter or a line end."""
    text = str(cell)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in f'" \t\r\n{delimiter}') else text


def full_name(place):
    return f"{GIVEN[place % len(GIVEN)]} {FAMILIES[place % len(FAMILIES)]}"


def sortable_name(place):
    return f"{FAMILIES[place % len(FAMILIES)]}, {GIVEN[place % len(GIVEN)]}"


def moodle_number(place):
    return 700100 + 7 * place


def canvas_number(place):
    return 4100 + 3 * place


def moodle_worksheet(names=NAMES, *, largest="20.00", grades=None, times=None, delimiter=","):
    """Moodle's grading worksheet, with a mark at the beginning that Excel wants."""
    header = ("Identifier", "Full name", "Username", "Email address", "Status", "Grade", "Maximum Grade")
    header += ("Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments")
    lines = [header]
    for place, name in enumerate(names):
        time = (times or {}).get(name, MOODLE_ZONE_TIME.format(place % 60))
        grade = (grades or {}).get(name, "")
        row = (f"Participant {moodle_number(place)}", full_name(place), name, f"{name}@example.edu")
        row += ("Submitted for grading - ", grade, largest, "Yes", time, "-", "= well done, this is mine")
        lines.append(row)
    return "\ufeff" + "".join(delimiter.join(quoted(c, delimiter) for c in line) + "\n" for line in lines)


def canvas_gradebook(
    names=NAMES, *, largest="20.00", grades=None, assignments=("Problem set ps02 (811)", "ps03 (812)")
):
    """Canvas's exported gradebook: hidden columns, points possible, students, and the test student at the end."""
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Notes", *assignments, "Final Score"]
    empty = ["" for _ in assignments]
    lines = [header, ["", "", "", "", "", "", *("Manual Posting" for _ in assignments), ""]]
    lines.append(["    Points Possible", "", "", "", "", "", *([largest] * len(assignments)), "(read only)"])
    for place, name in enumerate(names):
        grade = (grades or {}).get(name, "")
        cells = [sortable_name(place), canvas_number(place), f"S{place:03d}", name, "Lecture 1 and Lab 2", "-"]
        lines.append([*cells, *empty[1:], grade, "81.50"])
    lines.append(["Student, Test", "9999", "", "a1b2c3d4", "Lecture 1", "", *empty, ""])
    return "".join(",".join(quoted(cell) for cell in line) + "\r\n" for line in lines)


def moodle_name(place, *, folders=True, plugin="file"):
    """How Moodle begins the name of a student's file in its zip, with "download in folders" on or off."""
    name = full_name(place).replace("_", " ").replace("/", "").replace('"', "")
    return f"{name}_{moodle_number(place)}_assignsubmission_{plugin}{'/' if folders else '_'}"


def canvas_name(place, *, late=False, age=0):
    """How Canvas begins the name of a student's file in its zip."""
    name = "".join(c for c in sortable_name(place).lower() if c.isalnum() or c == "_")
    return f"{name}{'_LATE' if late else ''}_{canvas_number(place)}_{880000 + (age or place)}_"
