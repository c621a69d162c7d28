/* SPDX-License-Identifier: Apache-2.0 */
/* One handler a route: they join an exchange to the view, the ingest or the asset that answers.
 * Each fills exchange->out (and content_type or asset where it is not JSON) and returns the status
 * of the answer, with exchange->error filled when that is not STATUS_OK. */
#ifndef BRAZIER_SERVER_HTTP_HANDLERS_H
#define BRAZIER_SERVER_HTTP_HANDLERS_H

#include "server/http/router.h"

route_handler handle_profiles_post;
route_handler handle_profiles;
route_handler handle_profile;
route_handler handle_services;
route_handler handle_flamegraph;
route_handler handle_functions;
route_handler handle_focus;
route_handler handle_healthz;
route_handler handle_readyz;
route_handler handle_metrics;
route_handler handle_static;

#endif
