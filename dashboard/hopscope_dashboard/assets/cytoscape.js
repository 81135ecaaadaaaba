/* Cytoscape warns of any wheel sensitivity that it is told, and its Dash component tells it the default. The wheel moves
   our pages and no graph, so it is told none. */

if (window.dash_cytoscape && window.dash_cytoscape.Cytoscape && window.dash_cytoscape.Cytoscape.defaultProps)
  delete window.dash_cytoscape.Cytoscape.defaultProps.wheelSensitivity;
