import SavedState
import SimulatedDisk

extension ArchiveSimulation {
    /// Makes a generation of the saved state.
    mutating func makeGeneration() throws(Violation) {
        let path = try attempt("generation") { archive throws(SaveError) in
            try archive.makeGeneration(because: "of a test")
        }
        try checkRequiredGeneration()
        if let path, let path { try promiseGeneration(path) }
        try pruneGenerations()
        recordDurability()
    }

    private static let maximumGenerations = 3

    /// Removes the oldest generations, and checks that no others are removed.
    private mutating func pruneGenerations() throws(Violation) {
        let before = generations
        let surplus = before.dropLast(Self.maximumGenerations)
        for path in surplus { promises.release(path, after: disk.snapshotIndex) }
        disk.begin("pruning")
        let pruned = archive.pruneGenerations(count: Self.maximumGenerations, bytes: .max)
        if let failure = pruned.failure, !mayFail {
            throw Violation("The pruning failed: \(failure)")
        }
        let remaining = generations
        guard remaining.suffix(Self.maximumGenerations) == before.suffix(Self.maximumGenerations)
        else {
            throw Violation("The pruning took \(before) down to \(remaining)")
        }
        if !mayFail, remaining.count > Self.maximumGenerations {
            throw Violation("The pruning left \(remaining)")
        }
    }

    /// Requires that the next append makes a generation of the saved state.
    mutating func requireGeneration() throws(Violation) {
        if archive.isGenerationRequired || archive.hasPendingChanges { return }
        requiredGeneration = disk.content(Self.file) == nil ? nil : (model, generations)
        _ = try attempt("owing of a generation") { archive throws(SaveError) in
            try archive.requireGeneration(because: "of a test")
        }
    }

    /// Paths of the generations, oldest first.
    private var generations: [String] {
        let directory = "\(Self.directory)/history"
        return disk.names(in: directory).filter { $0.hasSuffix(".archive") }
            .map { "\(directory)/\($0)" }
    }

    /// Checks that a required generation was made before anything else was written.
    mutating func checkRequiredGeneration() throws(Violation) {
        guard let requiredGeneration, !archive.isGenerationRequired else { return }
        self.requiredGeneration = nil
        for name in generations where !requiredGeneration.before.contains(name) {
            guard let bytes = disk.content(name), try holds(bytes, requiredGeneration.model) else {
                continue
            }
            promiseGeneration(bytes, name)
            return
        }
        throw Violation("The generation that was required is not there")
    }

    /// Quits the application by force.
    mutating func removeAll() throws(Violation) {
        let before = promises.versions[promises.newest]
        let start = disk.snapshotIndex
        begin([Promises.Version(origin: "removal")])
        let path = try attempt("removal") { archive throws(SaveError) in
            try archive.remove(because: "of a test")
        }
        try checkRequiredGeneration()
        if let path {
            let moved = disk.snapshotIndex(afterLast: .rename, of: "data.archive")
            if let path {
                try promiseGeneration(path, since: moved.flatMap { $0 > start ? $0 : nil })
            }
            model = SavedModel()
            promises.promiseDurable(promises.newest, at: disk.snapshotIndex)
        } else {
            begin([before])
        }
        recordDurability()
    }

    /// Checks that a generation contains exactly the state in memory, and that it is retained from now on.
    ///
    /// - Parameter moved: Index of the snapshot after the archive was moved to this path, or `nil` if the generation is
    ///   new.
    private mutating func promiseGeneration(
        _ path: String, since moved: Int? = nil
    ) throws(Violation) {
        let name = String(path.dropFirst(disk.root.path.utf8.count + 1))
        guard let bytes = disk.content(name) else {
            throw Violation("The generation \(path) is not there")
        }
        guard try holds(bytes, model) else {
            throw Violation("A generation does not hold what was in memory")
        }
        promiseGeneration(bytes, name)
        if let moved {
            promises.promiseRetained(
                Promises.RetainedContents(bytes: bytes, appliesOnlyWithoutState: true, since: moved)
            )
        }
    }

    /// Promises that a generation is retained, together with its reason if no operation has failed.
    private mutating func promiseGeneration(_ bytes: [UInt8], _ path: String) {
        let reason = hasFaults || mayFail ? nil : disk.content("\(path).reason")
        promises.promiseRetained(
            Promises.RetainedContents(
                bytes: bytes, path: path, reason: reason, since: disk.snapshotIndex))
    }

    /// Returns whether a generation is a whole archive that contains this state.
    private func holds(_ bytes: [UInt8], _ model: SavedModel) throws(Violation) -> Bool {
        switch ArchiveReader.read(bytes, bundleIdentifier: Self.application) {
        case .whole(let prefix), .torn(let prefix, _):
            return SavedModel.digest(of: prefix.contents) == model.digest
        case .damaged(let reason, _, _):
            throw Violation("A generation is damaged: \(reason)")
        case .newer:
            throw Violation("A generation is of a newer format")
        }
    }
}
