import Glibc
package import LinuxIO
package import StateRecords

// Generations, and what lies in quarantine.

extension ApplicationArchive {
    // MARK: Making generations

    /// What is saved now, or could not be saved yet, has to be kept as a generation before anything
    /// more is written: the next write makes it, or fails.
    ///
    /// - Parameter reason: a clause that tells why.
    package func requireGeneration(because reason: String) throws(SaveError) {
        try checkLoaded()
        if history.required != nil { return }
        let state = log.isPending ? try wholeBytes() : nil
        history.required = Generations.Required(state: state, reason: reason)
    }

    /// Whether a generation has to be made before anything is written.
    package var isGenerationRequired: Bool { history.required?.isOverdue == false }

    /// Whether a generation has to be made of what is in memory alone, while writing goes on.
    package var isGenerationOverdue: Bool { history.required?.isOverdue == true }

    /// Why a generation is required; a clause, empty if none is.
    package var requiredGenerationReason: String { history.required?.reason ?? "" }

    /// Makes the generation that is required; after an error it stays required.
    ///
    /// - Returns: its path; `nil` if none is required, or if there is no file to copy.
    @discardableResult
    package func makeRequiredGeneration() throws(SaveError) -> String? {
        try checkLoaded()
        return try keepRequired { bytes, reason throws(IOError) in
            try keep(bytes, in: openOrMakeFolder(), because: reason)
        }
    }

    /// What is required to be kept goes to quarantine, because the history does not take it.
    ///
    /// - Parameter failure: why the history does not; a sentence.
    /// - Returns: its path there; nil if none is required, or if there is no file to copy.
    package func quarantineRequired(because failure: String) throws(SaveError) -> String? {
        try keepRequired { bytes, reason throws(IOError) in
            try NumberedFolder(.quarantine, in: openOrMakeFolder()).keep(
                bytes, as: Layout.archive,
                because: "It was to be added to the history, because \(reason): \(failure)"
            ).path
        }
    }

    /// Keeps the bytes of what is required, which is not required any more then.
    ///
    /// - Parameter keep: takes them, with the reason, and gives their path.
    private func keepRequired(
        _ keep: (_ bytes: [UInt8], _ reason: String) throws(IOError) -> String
    ) throws(SaveError) -> String? {
        guard let required = history.required else { return nil }
        return try SaveError.wrapping { () throws(IOError) in
            var path: String?
            if let bytes = try bytes(of: required) { path = try keep(bytes, required.reason) }
            history.noteRequiredMade()
            return path
        }
    }

    /// What is required to be kept stays in memory until it can be, and is written over before.
    ///
    /// - Throws: why it cannot even be read; nothing may be written over it then.
    package func deferRequiredGeneration() throws(SaveError) {
        guard var required = history.required else { return }
        required.state = try SaveError.wrapping(try bytes(of: required))
        required.isOverdue = true
        history.required = required.state == nil ? nil : required
    }

    private func bytes(of required: Generations.Required) throws(IOError) -> [UInt8]? {
        if let state = required.state { return state }
        return try place.folder()?.read(Layout.archive, limit: place.limit)
    }

    /// Whether the generations are gone with the archive (L4), as far as there were any.
    package func isHistoryGone() throws(IOError) -> Bool {
        guard let folder = try place.folder() else { return true }
        if !history.wasThere { return false }
        return try folder.entryStatus(of: NumberedFolder.Kind.history.rawValue) == nil
    }

    /// Tells one state from another: what is in memory, but for the times of passes.
    package func stateDigest() -> UInt64 { store.digest() }

    /// The newest generation; nil if there is none, or that cannot be found out.
    package func newestGeneration() -> KeptFile? {
        do throws(IOError) { return try generations().last } catch { return nil }
    }

    /// Keeps what is in memory as a generation, durably, whatever became of the file. One that is
    /// required is made first.
    ///
    /// - Returns: the generation's path; `nil` if nothing is saved, and none was made.
    @discardableResult
    package func makeGeneration(because reason: String) throws(SaveError) -> String? {
        try makeRequiredGeneration()
        if store.count == 0 { return nil }
        let state = try wholeBytes()
        history.noteChanged()
        let path = try SaveError.wrapping(
            try keep(state, in: openOrMakeFolder(), because: reason))
        history.noteMade(at: path, store.digest())
        return path
    }

    /// The path of the newest generation, if it holds just what is in memory: only the times of
    /// passes may differ. Nil as well if that cannot be found out, or another one has to be made
    /// first.
    package func unchangedGeneration() -> String? {
        store.count == 0 ? nil : history.newest(with: store.digest(), at: place)
    }

    func keep(
        _ bytes: [UInt8], in folder: any Folder, because reason: String
    ) throws(IOError) -> String {
        let path = try place.readFiles { () throws(IOError) in
            try NumberedFolder(.history, in: folder).keep(bytes, because: reason).path
        }
        history.wasThere = true
        return path
    }

    /// The bytes of an archive of everything that is in memory.
    func wholeBytes() throws(SaveError) -> [UInt8] {
        let records = store.wholeRecords()
        try log.checkLength(of: records)
        return log.encodeCopy(records)
    }

    // MARK: Generations that are there

    /// What reads the generations that there are now, and those that come if there are any.
    package func historyReader() throws(IOError) -> HistoryReader { try HistoryReader(at: place) }

    /// The generations, see ``HistoryReader/generations()``.
    package func generations() throws(IOError) -> [KeptFile] {
        try historyReader().generations().files
    }

    /// Reads a generation, see ``HistoryReader/contents(of:)``.
    package func contents(ofGeneration name: String) throws(KeptStateError) -> KeptContents {
        try KeptStateError.wrapping(try historyReader()).contents(of: name)
    }

    /// The same of a generation whose path was told when it was made.
    package func contents(ofGenerationAt path: String) throws(KeptStateError) -> KeptContents {
        guard let name = GenerationName(path: path) else {
            throw .unknown(name: path, in: place.path(of: .history))
        }
        return try contents(ofGeneration: name.description)
    }

    /// Removes a generation that was made for something that was not done after all, by the path
    /// that ``makeGeneration(because:)`` gave.
    package func removeGeneration(at path: String) {
        guard let name = GenerationName(path: path) else { return }
        history.noteChanged()
        do throws(IOError) { try kept(.history)?.remove(name.file) } catch {}
    }

    /// Deletes a generation, durably.
    ///
    /// - Parameter name: Number of the generation, with or without leading zeros.
    /// - Throws: ``KeptStateError``: `unknown` if there is none of that name, `io` if it cannot be removed.
    package func deleteGeneration(_ name: String) throws(KeptStateError) {
        history.noteChanged()
        let isDeleted = try KeptStateError.wrapping { () throws(IOError) in
            guard let generation = GenerationName(name) else { return false }
            return try kept(.history)?.delete(generation.file) ?? false
        }
        if !isDeleted { throw .unknown(name: name, in: place.path(of: .history)) }
    }

    /// Deletes a file in quarantine, durably.
    ///
    /// - Throws: ``KeptStateError``: `unknown` if there is none of that name, `io` if it cannot be removed.
    package func deleteQuarantined(_ name: String) throws(KeptStateError) {
        let isDeleted = try KeptStateError.wrapping { () throws(IOError) in
            try kept(.quarantine)?.delete(name) ?? false
        }
        if !isDeleted { throw .unknown(name: name, in: quarantinePath(of: "")) }
    }

    /// Removes the oldest generations as long as there are more than so many, or as they have more
    /// bytes together; never the newest one. Call it when one was made.
    package func pruneGenerations(count: Int, bytes: Int) -> PrunedFiles {
        prune(.history, count: count, bytes: bytes)
    }

    // MARK: Quarantine

    /// Puts a copy of what is saved of scenes, or could not be saved yet, into quarantine, durably: an
    /// archive of these scenes alone (L2). The scenes themselves go with ``removal(ofScene:)``.
    ///
    /// - Parameters:
    ///   - scenes: the numbers of the scenes' records.
    ///   - reason: a sentence.
    /// - Returns: its name in quarantine; nil if the archive has none of these scenes.
    package func quarantineScenes(
        _ scenes: [UInt32], reason: String
    ) throws(SaveError) -> String? {
        try checkLoaded()
        let found = scenes.compactMap { store[$0] }.filter { $0.header.parent == 0 }
        guard let first = found.first else { return nil }
        let records = store.wholeRecords(of: found.map(\.header.number))
        try log.checkLength(of: records)
        let bytes = log.encodeWhole(records).bytes
        let suffix =
            found.count == 1
            ? NumberedName.suffix(for: first.header.identifier) : Layout.archive
        return try SaveError.wrapping(
            try NumberedFolder(.quarantine, in: openOrMakeFolder())
                .keep(bytes, as: suffix, because: reason).name)
    }

    /// A turn that takes a scene out of the archive, with everything below it.
    package func removal(ofScene scene: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addRemoval(scene)
        turn.endPass(PassEnd())
        return turn
    }

    /// Takes a copy away again, by the name that ``quarantineScenes(_:reason:)`` gave, because the
    /// scenes keep their state after all.
    package func removeQuarantined(_ name: String) {
        do throws(IOError) {
            try kept(.quarantine)?.remove(name)
        } catch {
            log.incidents.append(.leftover(error))
        }
    }

    /// Keeps a replacing archive in quarantine, durably, for a reason that is a sentence; returns
    /// its path.
    package func quarantine(
        _ replacing: ReplacingArchive, reason: String
    ) throws(IOError) -> String {
        try NumberedFolder(.quarantine, in: openOrMakeFolder())
            .keep(replacing.bytes, as: Layout.archive, because: reason).path
    }

    /// Moves another program's file from the archive's name to quarantine; returns its new path.
    @discardableResult
    func quarantineForeignFile(
        in folder: any Folder, because reason: String
    ) throws(IOError) -> String {
        try NumberedFolder(.quarantine, in: folder).take(
            Layout.archive, as: Layout.archive,
            because: "Another program changed or replaced the archive: \(reason)."
        ).path
    }

    /// Copies a file with a torn end to quarantine, because it is about to go.
    func quarantineTornCopy(in folder: any Folder) throws(IOError) {
        guard let torn else { return }
        let leftover = try torn.quarantine(in: folder)
        self.torn = nil
        if let leftover { log.incidents.append(.leftover(leftover)) }
    }

    /// What lies in quarantine, in the order of the numbers. Whatever somebody put there is listed,
    /// by its kind; a reason that cannot be read is none.
    ///
    /// - Parameter readsReasons: whether the reasons are wanted; else there are none.
    package func quarantined(readsReasons: Bool = true) throws(IOError) -> [KeptFile] {
        try quarantineListing(readsReasons: readsReasons)()
    }

    /// What lists the quarantine, see ``quarantined(readsReasons:)``, on whatever thread.
    package func quarantineListing(readsReasons: Bool = true)
        throws(IOError) -> @Sendable () throws(IOError) -> [KeptFile]
    {
        let folder = try kept(.quarantine)
        return { [place] () throws(IOError) in
            try place.readFiles { () throws(IOError) in
                try folder?.list(readsReasons: readsReasons) ?? []
            }
        }
    }

    /// Reads what lies in quarantine under a name, see ``KeptContents``.
    ///
    /// - Parameter namesUsed: see ``ArchiveSalvage``; nil: single objects are not salvaged.
    package func contents(
        ofQuarantined name: String, salvaging namesUsed: ((ObjectRecord) -> [UInt32]?)? = nil
    ) throws(KeptStateError) -> KeptContents {
        let quarantine = try KeptStateError.wrapping(try kept(.quarantine))
        func read(
            _ namesUsed: ((ObjectRecord) -> [UInt32]?)?
        ) throws(KeptStateError) -> KeptContents {
            let contents = try quarantine?.contents(of: name, at: place, salvaging: namesUsed)
            guard let contents else { throw .unknown(name: name, in: quarantinePath(of: "")) }
            return contents
        }
        do throws(KeptStateError) {
            return try read(namesUsed)
        } catch {
            guard case .damaged(let path, let reason) = error, namesUsed == nil else { throw error }
            do throws(KeptStateError) { _ = try read { _ in [] } } catch { throw error }
            throw .damaged(
                path: path,
                reason:
                    "\(reason) (`reprisectl --app \(bundleIdentifier) quarantine put-back \(name) "
                    + "--salvage` puts back its intact objects)")
        }
    }

    /// The path of something in quarantine.
    package func quarantinePath(of name: String) -> String {
        "\(place.path(of: .quarantine))/\(name)"
    }

    /// As ``pruneGenerations(count:bytes:)`` for quarantine; what has no number stays.
    ///
    /// - Parameter names: those that may still be put back, and stay, although they count.
    package func pruneQuarantine(
        count: Int, bytes: Int, keeping names: [String] = []
    ) -> PrunedFiles {
        prune(.quarantine, count: count, bytes: bytes, keeping: names)
    }

    private func prune(
        _ kind: NumberedFolder.Kind, count: Int, bytes: Int, keeping names: [String] = []
    ) -> PrunedFiles {
        do throws(IOError) {
            let folder = try kept(kind)
            if kind == .history { history.wasThere = folder != nil }
            return try place.readFiles { () throws(IOError) in
                try folder?.prune(count: count, bytes: bytes, keeping: names) ?? PrunedFiles()
            }
        } catch {
            return PrunedFiles(failure: error)
        }
    }

    /// The folder with what is kept; nil if there is none.
    private func kept(_ kind: NumberedFolder.Kind) throws(IOError) -> NumberedFolder? {
        try NumberedFolder(kind, existingIn: place.folder())
    }
}
