import ExactText
public import FoundationEssentials
import LinuxIO

/// A file or other directory entry in an application's quarantine.
public struct QuarantineEntry: Sendable, Equatable {
    /// Type of a directory entry.
    public enum Kind: String, Sendable {
        /// A file.
        case file
        /// A directory.
        case folder
        /// A symbolic link.
        case link
        /// A FIFO, a socket or a device.
        case other
    }

    /// The name of the entry in quarantine, by which it can be put back.
    public var name: String
    /// The path of the entry.
    public var path: String
    /// The type of the entry; only files can be put back.
    public var kind: Kind
    /// The reason for the quarantine as a sentence, or `nil` if no reason was recorded.
    public var reason: String?
    /// The time at which the entry was moved to quarantine.
    public var time: Date?
    /// The size of the entry in bytes.
    public var byteCount: Int
}

extension QuarantineEntry.Kind {
    init(_ kind: FileKind) {
        switch kind {
        case .file: self = .file
        case .folder: self = .folder
        case .link: self = .link
        case .other: self = .other
        }
    }
}
