"""Reports as one HTML file that needs no server and no network: `document` writes the report of a trace and loads no
page of the dashboard. `machine` writes the report of a machine file, for which `static` turns Dash's components into
markup."""
