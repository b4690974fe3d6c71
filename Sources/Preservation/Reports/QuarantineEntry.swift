import ExactText
public import FoundationEssentials
import LinuxIO

/// File or other entry in an application's quarantine.
public struct QuarantineEntry: Sendable, Equatable {
    /// Type of a directory entry.
    public enum Kind: String, Sendable {
        /// A file.
        case file
        /// A directory.
        case directory
        /// A symbolic link.
        case link
        /// A FIFO, a socket or a device.
        case other
    }

    /// Name of the entry. Pass the name to ``Application/putBack(_:salvaging:)`` to put the entry back.
    public var name: String
    /// Path of the entry.
    public var path: String
    /// Type of the entry. Only files can be put back.
    public var kind: Kind
    /// Sentence that states the reason for the quarantine, or `nil` if no reason was recorded.
    public var reason: String?
    /// Time at which the entry was moved to quarantine, or `nil` if the time is unknown.
    public var time: Date?
    /// Size of the entry in bytes.
    public var byteCount: Int
}

extension QuarantineEntry.Kind {
    init(_ kind: FileKind) {
        switch kind {
        case .file: self = .file
        case .directory: self = .directory
        case .link: self = .link
        case .other: self = .other
        }
    }
}
