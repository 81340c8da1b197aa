"""The REST API described as OpenAPI 3.1. Views answer ready bytes and have no serializers, so that what they take and give is
declared here: `schemas` (bodies), `parameters`, and `operations`, one module per group of endpoints. Pure data, but for
`inspector` and `document`, which drf-spectacular makes the document of the URL patterns with."""
