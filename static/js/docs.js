// Swagger UI, from this server alone: no validator elsewhere, nothing from a CDN.
SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
