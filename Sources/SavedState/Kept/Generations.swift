import ExactText
import LinuxIO

/// The making of generations: one that has to be made, and what the newest one holds.
struct Generations {
    /// A generation that has to be made before anything is written.
    struct Required {
        /// The bytes of the archive that it is; nil: it is a copy of the file as it is.
        var state: [UInt8]?
        /// A clause that tells why it has to be made.
        var reason: String
        /// Whether it is written before it is made, because it could be kept nowhere: until then it
        /// is in memory alone.
        var isOverdue = false
    }

    /// The generation that has to be made; nil: none has.
    var required: Required?
    /// Whether there was a history when it was last looked for: only what was there can be removed.
    var wasThere = false
    /// The newest generation that was looked at or made, and the digest of what it holds.
    private var newest: (name: GenerationName, digest: UInt64)?

    /// The generation that had to be made is made.
    mutating func noteRequiredMade() {
        required = nil
        newest = nil
    }

    /// A generation was made at this path that holds what has this digest.
    mutating func noteMade(at path: String, _ digest: UInt64) {
        newest = GenerationName(path: path).map { ($0, digest) }
    }

    /// A generation is made, or removed.
    mutating func noteChanged() { newest = nil }

    /// The path of the newest generation, if it is known to hold what has this digest.
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
