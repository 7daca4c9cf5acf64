// SPDX-License-Identifier: MIT
#include <vector>

#include "node/agent_options.h"
#include "overlay/param_entries.h"
#include "tools/dunlin/manual/manual.h"

// The parameters come from the same table as flags and `dunlin params`; only what surrounds them is
// text.
namespace dunlin::cli {
namespace {

constexpr const char* kSettingsIntro = R"mdoc(.Sh DESCRIPTION
An agent of Dunlin reads its settings from
.Pa /etc/dunlin/agent.toml ,
if there is one, or from the file that
.Fl \-config
names.
The file is TOML: a table for each section, and a line for each parameter.
All of them may be left out.
.Pp
Each parameter is also an environment variable and a flag of
.Xr dunlin-agent 1 .
A flag wins over a variable, and a variable over the file:
.Bd -literal -offset indent
[cyclon]
period = "500ms"

DUNLIN_CYCLON_PERIOD=500ms

dunlin agent \-\-cyclon.period=500ms
.Ed
.Pp
Parameters of section
.Ic agent
have short flags, such as
.Fl \-bind ,
and variables such as
.Ev DUNLIN_AGENT_BIND .
.Pp
Durations are texts with units, such as
.Qq 250ms
or
.Qq 1h30m ;
lists are texts with commas between their items.
An unknown key, and a value out of its range, are errors that name the line and the cure: the agent
does not start.
.Xr dunlin-params 1
lists what stands here, and what a running agent uses.
.Sh PARAMETERS
)mdoc";

constexpr const char* kSettingsFiles = R"mdoc(.Sh FILES
.Bl -tag -width Ds
.It Pa /etc/dunlin/agent.toml
The settings of the agent of this machine.
.El
.Sh EXAMPLES
An agent that listens at one address, joins by two contacts and lets tasks yield:
.Bd -literal -offset indent
[agent]
bind = "10.0.0.7:7700"
join = "node1,node2"
attributes = "rack=7,ssd=yes"

[worker]
preempt = "priority"
.Ed
)mdoc";

}  // namespace

config::ManualPage settings_page() {
  const config::PageName name{"dunlin.toml", 5};
  node::Configuration configuration;
  std::vector<config::ManualParam> params;
  // From the table that the agent reads its settings by: none is missing here, and none is told
  // wrong.
  for (const overlay::ParamEntry& entry : node::all_entries(configuration)) {
    params.push_back({entry.section, entry.name, entry.type, entry.range, entry.fallback,
        entry.meaning, entry.source});
  }
  return {name,
      config::page_head(name) + config::name_section(name.name, "Settings of an agent of Dunlin") +
          kSettingsIntro + config::param_sections(params) + kSettingsFiles +
          config::see_also_section({{"dunlin-agent", 1}, {"dunlin-params", 1}, {"dunlin", 7}})};
}

}  // namespace dunlin::cli
