import ExactText
import LinuxIO

/// Required generation and newest generation of an application's history.
struct Generations {
    /// Generation that must be made before anything is written.
    struct Required {
        /// Bytes of the archive, or `nil` to copy the file as it is.
        var state: [UInt8]?
        /// Reason for the generation, as part of a sentence.
        var reason: String
        /// Whether the archive may be written before the generation is made.
        ///
        /// This is the case if the generation could not be stored anywhere and is only in memory.
        var isOverdue = false
    }

    /// Generation that must be made, or `nil` if none is required.
    var required: Required?
    /// Whether the history existed when it was last checked. Only an existing history can be removed.
    var wasThere = false
    /// Newest generation that was read or made, and the digest of its contents.
    private var newest: (name: GenerationName, digest: UInt64)?

    /// Records that the required generation was made.
    mutating func recordRequiredGeneration() {
        required = nil
        newest = nil
    }

    /// Records that a generation with the given digest was made at a path.
    mutating func recordGeneration(at path: String, _ digest: UInt64) {
        newest = GenerationName(path: path).map { ($0, digest) }
    }

    /// Records that a generation is being made or removed.
    mutating func invalidateNewest() { newest = nil }

    /// Returns the path of the newest generation, or `nil` if its contents are not known to have the given digest.
    mutating func newest(with digest: UInt64, at place: ArchivePlace) -> String? {
        do {
            guard required == nil,
                let history = try NumberedFolder(.history, existingIn: place.folder()),
                let name = try history.generationNames().last
            else { return nil }
            if newest?.name != name {
                let kept = try HistoryReader(at: place).contents(of: "\(name)")
                guard kept.shortfall == nil else { return nil }
                newest = (name, kept.contents.digest)
            }
            return newest?.digest == digest ? history.path(of: name.file) : nil
        } catch {
            return nil
        }
    }
}
