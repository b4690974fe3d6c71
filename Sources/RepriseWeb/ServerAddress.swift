import ExactText

/// Addresses at which browsers reach a server: a port of this host and, behind a reverse proxy, an origin.
package struct ServerAddress: Sendable, Equatable {
    /// Port of the loopback address on which the server listens.
    package let port: Int
    /// Origin at which a reverse proxy serves the page, or `nil` if there is no proxy.
    package let publicOrigin: PublicOrigin?

    /// Creates the address of a server.
    package init(port: Int, publicOrigin: PublicOrigin? = nil) {
        self.port = port
        self.publicOrigin = publicOrigin
    }

    /// Address that users open.
    package var url: String { publicOrigin?.description ?? "http://127.0.0.1:\(port)" }

    /// Returns the login link with a secret.
    ///
    /// The secret is in the fragment, which browsers do not send to servers.
    package func loginLink(_ secret: String) -> String { "\(url)/#\(secret)" }

    /// Returns the origin of the pages that are requested with the given `Host` header, or `nil` if the header does not
    /// name this server.
    package func origin(ofHost host: String) -> String? {
        if let publicOrigin, host == publicOrigin.host { return "\(publicOrigin)" }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        // Browsers omit the default port.
        let hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
        return hosts.contains(host) ? "http://\(host)" : nil
    }

    /// Returns the session cookie for requests with the given `Host` header.
    package func cookie(forHost host: String?) -> SessionCookie {
        SessionCookie(
            port: port, isSecure: publicOrigin.map { $0.usesHTTPS && host == $0.host } ?? false)
    }
}

/// Cookie that contains the secret of a browser's session.
package struct SessionCookie: Sendable, Equatable {
    /// Name of the cookie. It contains the port, because browsers send cookies to all ports of a host.
    package let name: String
    private let attributes: String

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - port: The port on which the server listens.
    ///   - isSecure: Whether browsers send the cookie only over HTTPS.
    init(port: Int, isSecure: Bool) {
        // Because of the prefix, browsers refuse a cookie with this name if another host in the same domain sets it.
        name = "\(isSecure ? "__Host-" : "")reprise-\(port)"
        attributes = "HttpOnly; SameSite=Strict; Path=/\(isSecure ? "; Secure" : "")"
    }

    /// Returns the `Set-Cookie` header for a secret.
    package func header(_ secret: String) -> String { "\(name)=\(secret); \(attributes)" }
}
