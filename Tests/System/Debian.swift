import Testing

/// A Debian release for containers.
enum Debian: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Debian 12, with systemd 252.
    case debian12 = "bookworm"
    /// Debian 13, with systemd 257 and `varlinkctl`.
    case debian13 = "trixie"

    /// Whether the release's systemd supports the settings in `systemd/reprised.service.d`.
    var takesDropIns: Bool { self == .debian13 }

    var testDescription: String {
        switch self {
        case .debian12: "Debian 12"
        case .debian13: "Debian 13"
        }
    }
}
