import ExactText
import LinuxIO

/// Tracker for the required generation and the newest generation in an application's history.
struct GenerationTracker {
    /// Generation that must be added to the history before anything else is written.
    struct RequiredGeneration {
        /// Contents of the generation, or `nil` to copy the archive's file.
        var archiveBytes: [UInt8]?
        /// Phrase that explains why the generation is added.
        var reason: String
        /// Whether the archive may be written before the generation is added to the history.
        ///
        /// This is the case if the generation could not be stored anywhere and therefore exists only in memory.
        var isDeferred = false
    }

    /// Generation that must be added to the history, or `nil` if none is required.
    var requiredGeneration: RequiredGeneration?
    /// Whether the history directory existed when it was last used. A missing directory counts as removed only if it
    /// existed before.
    var historyDirectoryExisted = false
    /// Name of the newest generation and digest of its contents, or `nil` if they are unknown.
    private var newestGeneration: (name: GenerationName, digest: UInt64)?

    /// Records that the required generation has been stored.
    mutating func markRequiredGenerationStored() {
        requiredGeneration = nil
        newestGeneration = nil
    }

    /// Records that a generation with the given digest has been added to the history at a path.
    mutating func recordGeneration(at path: String, _ digest: UInt64) {
        newestGeneration = GenerationName(path: path).map { ($0, digest) }
    }

    /// Forgets the newest generation, because the history is about to change.
    mutating func invalidateNewestGeneration() { newestGeneration = nil }

    /// Returns the path of the newest generation if its contents have the given digest, or `nil` otherwise.
    mutating func newestGenerationPath(withDigest digest: UInt64, at location: ArchiveLocation)
        -> String?
    {
        do {
            guard requiredGeneration == nil,
                let history = try NumberedFileDirectory(
                    .history, existingIn: location.openDirectory()),
                let name = try history.generationNames().last
            else { return nil }
            if newestGeneration?.name != name {
                let stored = try HistoryReader(at: location).contents(of: "\(name)")
                guard stored.shortfall == nil else { return nil }
                newestGeneration = (name, stored.contents.digest)
            }
            return newestGeneration?.digest == digest ? history.path(of: name.fileName) : nil
        } catch {
            return nil
        }
    }
}
