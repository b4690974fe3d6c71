import ExactText
import TerminalText

/// Origin at which browsers reach the server through a reverse proxy, such as `https://panel.example.org`.
package struct PublicOrigin: Sendable, Equatable, CustomStringConvertible {
    /// Host, followed by the port unless it is the default, as browsers send them in the `Host` header.
    package let host: String
    /// Whether the scheme is `https`.
    package let usesHTTPS: Bool

    /// The origin, as browsers send it in the `Origin` header.
    package var description: String { Self.scheme(usesHTTPS: usesHTTPS) + host }

    /// Parses an origin. The text can end with a slash.
    package init(_ text: String) throws(InvalidOrigin) {
        let text = text.lowercased()
        let schemes = [true, false].map { (usesHTTPS: $0, text: Self.scheme(usesHTTPS: $0)) }
        guard let scheme = schemes.first(where: { text.utf8.starts(with: $0.text.utf8) }) else {
            throw .noScheme
        }
        var authority = text.dropFirst(scheme.text.count)
        if authority.last == "/" { authority.removeLast() }
        if authority.contains(where: "/?#@".contains) { throw .notOnlyHost }
        // An IPv6 address would have to be compared with the form that browsers send.
        if authority.first == "[" { throw .invalidHost(String(authority)) }
        let parts = authority.split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false
        ).map(String.init)
        let (name, defaultPort) = (parts[0], scheme.usesHTTPS ? 443 : 80)
        guard Self.isHostName(name) else { throw .invalidHost(name) }
        guard scheme.usesHTTPS || ["localhost", "127.0.0.1"].contains(name) else { throw .notHTTPS }
        var port = defaultPort
        if parts.count > 1 {
            guard let number = UInt16(parts[1]), number > 0 else { throw .invalidPort(parts[1]) }
            port = Int(number)
        }
        host = port == defaultPort ? name : "\(name):\(port)"
        usesHTTPS = scheme.usesHTTPS
    }

    private static func scheme(usesHTTPS: Bool) -> String { usesHTTPS ? "https://" : "http://" }

    private static func isHostName(_ name: String) -> Bool {
        name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d
                    }
            }
    }
}

/// Reason why a text is not the origin of a server behind a reverse proxy.
package enum InvalidOrigin: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text does not begin with a scheme.
    case noScheme
    /// The scheme is `http`, and the host is not this host.
    case notHTTPS
    /// The text contains a path, a query, a fragment or a user.
    case notOnlyHost
    /// The host is neither a name nor an IPv4 address.
    case invalidHost(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)

    /// Sentence that states the cause and what to do.
    package var description: String {
        switch self {
        case .noScheme: "Begin the origin with a scheme, as in https://panel.example.org."
        case .notHTTPS:
            "The page needs an encrypted connection: write https://, and configure TLS in the proxy."
        case .notOnlyHost:
            "Write only the scheme, the host and, if necessary, the port, as in https://panel.example.org:8443."
        case .invalidHost(let name):
            "\(name.quoted) is not a host: write a name of ASCII letters, digits, hyphens and dots, or an IPv4 address."
        case .invalidPort(let port):
            "\(port.quoted) is not a port: write a number from 1 to 65535."
        }
    }
}
