import Testing

/// A Debian release that containers are made of.
enum Debian: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// With systemd 252.
    case debian12 = "bookworm"
    /// With systemd 257 and `varlinkctl`.
    case debian13 = "trixie"

    /// Whether its systemd knows the settings of `systemd/reprised.service.d`.
    var takesDropIns: Bool { self == .debian13 }

    var testDescription: String {
        switch self {
        case .debian12: "Debian 12"
        case .debian13: "Debian 13"
        }
    }
}
