/// Rules that a request must satisfy before it is routed.
///
/// The rules protect against other web sites that are open in the user's browser. Such a site can make the browser send
/// requests to this host, and it can make its own name refer to this host (DNS rebinding).
package struct RequestPolicy: Sendable {
    /// The parts of a request to which the rules apply.
    package struct Attributes: Sendable {
        /// Whether the request can change state, because its method is not GET or HEAD.
        package var changesState: Bool
        /// Whether the requested page accepts an HTML form instead of JSON.
        package var acceptsForm: Bool
        /// The `Host` header, or `nil` if there is none.
        package var host: String?
        /// The `Origin` header, or `nil` if there is none.
        package var origin: String?
        /// The `Sec-Fetch-Site` header, or `nil` if there is none.
        package var fetchSite: String?
        /// The `Content-Type` header, or `nil` if there is none.
        package var contentType: String?

        /// Creates a description of a request.
        package init(
            changesState: Bool, acceptsForm: Bool = false, host: String?, origin: String? = nil,
            fetchSite: String? = nil,
            contentType: String? = nil
        ) {
            self.changesState = changesState
            self.acceptsForm = acceptsForm
            self.host = host
            self.origin = origin
            self.fetchSite = fetchSite
            self.contentType = contentType
        }
    }

    /// The host names and ports with which browsers on this host address the server.
    private let hosts: [String]

    /// Creates the rules for a server that listens on the given port of the loopback interface.
    package init(port: Int) {
        let names = ["127.0.0.1", "localhost", "[::1]"]
        // Browsers omit the default port.
        hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    }

    /// Returns the reason why a request is refused, or `nil` if it satisfies the rules.
    package func refusal(of attributes: Attributes) -> String? {
        guard let host = attributes.host, hosts.contains(host) else {
            return "the request was sent to another host name"
        }
        if let origin = attributes.origin, origin != "http://\(host)" {
            return "the request comes from another origin"
        }
        if let site = attributes.fetchSite, site != "same-origin", site != "none" {
            return "the request comes from another site"
        }
        guard attributes.changesState else { return nil }
        if attributes.origin == nil { return "the request does not name its origin" }
        let contentType =
            attributes.acceptsForm ? "application/x-www-form-urlencoded" : "application/json"
        if attributes.contentType != contentType { return "the content is not \(contentType)" }
        return nil
    }
}
