"""Reports as one HTML file that needs no server and no network: `document` writes that of a trace and loads no page of
the dashboard; `machine` writes that of a machine file, for which `static` turns Dash's components into markup."""
