"""Reports as one HTML file that needs no server and no network: `document` of a trace, which loads no page of the
dashboard; `machine` of a machine file, for which `static` turns Dash's components into markup."""
