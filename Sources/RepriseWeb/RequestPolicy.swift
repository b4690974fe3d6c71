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

    /// The addresses at which browsers reach the server.
    private let address: ServerAddress

    /// Creates the rules for a server.
    package init(_ address: ServerAddress) { self.address = address }

    /// Returns the reason why a request is refused, or `nil` if it satisfies the rules.
    package func refusal(of attributes: Attributes) -> String? {
        guard let host = attributes.host, let ownOrigin = address.origin(ofHost: host) else {
            return address.publicOrigin.map { "the request was not sent to the host \($0.host)" }
                ?? "the request was sent to another host name; behind a reverse proxy, use the option --origin"
        }
        if let origin = attributes.origin, origin != ownOrigin {
            return "the request comes from another origin than \(ownOrigin)"
        }
        if let site = attributes.fetchSite, site != "same-origin", site != "none" {
            return
                "the request comes from another site; to open a link, paste it into the address bar of a new tab"
        }
        guard attributes.changesState else { return nil }
        if attributes.origin == nil { return "the request does not name its origin" }
        let contentType =
            attributes.acceptsForm ? "application/x-www-form-urlencoded" : "application/json"
        if attributes.contentType != contentType { return "the content is not \(contentType)" }
        return nil
    }
}
