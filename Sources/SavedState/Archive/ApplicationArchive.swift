package import LinuxIO
package import StateRecords

/// Archive of one application, which stores the newest state of its scenes in one file.
///
/// Load the archive once, then append the changes of each turn. The archive keeps the newest record of every
/// object in memory. Changes that could not be saved are pending, and become part of the next write that
/// succeeds. A whole new file can be written at any time.
///
/// The archive is not Sendable, because it belongs to the application's actor. Slow operations are returned as a
/// ``SyncJob`` or a ``CompactionJob``, which can run on another thread.
package final class ApplicationArchive {
    /// State of loading the file.
    private enum Phase {
        case unloaded
        case loaded
        case refused(LoadError)
    }

    let place: ArchivePlace
    /// Size in bytes up to which a file is never compacted.
    let compactionMinimum: Int
    private var phase = Phase.unloaded
    /// Newest state, including unsaved changes.
    @exclusivity(unchecked) var store = ObjectStore()
    /// File of the archive, and changes that the file does not contain yet.
    @exclusivity(unchecked) var log: ArchiveLog
    /// Required generation, and the last generation that was made.
    var history = Generations()
    /// Contents of a file with a torn end, which is copied to quarantine before it is replaced.
    var torn: TornArchive?
    /// Replica that receives all writes, or `nil` if state is not replicated.
    var replica: (any StateReplica)?
    /// Whether to reserve space for later records in the file, which makes syncs faster.
    ///
    /// Reserving space is worthwhile if each turn is made durable.
    package var reservesSpace = false
    /// Whether the replica lacks the state in memory. The next write then sends the whole state.
    package internal(set) var lacksReplica = true
    /// Whether this object has made the directories' entries durable.
    ///
    /// The process that created the directories may have failed to do so.
    private var foldersAreDurable = false

    /// Creates the archive of one application below a state directory. Nothing is read or created yet.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application. It must be usable as a name, see
    ///     ``InvalidBundleIdentifier``.
    ///   - limit: Maximum size of a file in bytes.
    ///   - compactionMinimum: Size in bytes up to which a file is never compacted.
    ///   - launchGuard: Guard that attributes crashes to scenes, except crashes in code that reads the
    ///     application's files.
    package init(
        bundleIdentifier: String, below stateFolder: any Folder,
        limit: Int = ArchiveFormat.largestFile, compactionMinimum: Int = 1 << 20,
        launchGuard: LaunchGuard? = nil
    ) {
        place = ArchivePlace(
            of: bundleIdentifier, below: stateFolder, limit: limit, launchGuard: launchGuard)
        log = ArchiveLog(at: place)
        self.compactionMinimum = compactionMinimum
    }

    /// Bundle identifier of the application.
    package var bundleIdentifier: String { place.bundleIdentifier }

    /// Path of the archive's file, whether it exists or not.
    package var path: String { place.path }

    // MARK: Saved state

    /// Whether there are appended changes that could not be saved yet.
    package var hasPending: Bool { log.isPending }

    /// Whether there are pending changes, a required generation, or an unclosed file of the previous process to
    /// replace.
    package var hasUnwritten: Bool { hasPending || isGenerationRequired || log.isInherited }

    /// Whether a load has succeeded.
    package var hasState: Bool { if case .loaded = phase { true } else { false } }

    /// Whether the last saved record says that the application has quit.
    package var isClosed: Bool { hasState && log.isClosed }

    /// Whether a load has been attempted, successfully or not.
    package var isLoaded: Bool { if case .unloaded = phase { false } else { true } }

    /// Newest state, including unsaved changes, or `nil` if no load has succeeded yet.
    package var contents: ArchiveContents? {
        hasState ? store.contents(closed: log.isClosed, sequence: log.sequence) : nil
    }

    /// Newest record of each scene, including unsaved changes, in the order in which the scenes were first saved.
    package var scenes: [ObjectRecord] { scenes(atMost: .max) }

    /// Returns the newest records of the first scenes, in the order in which the scenes were first saved.
    package func scenes(atMost limit: Int) -> [ObjectRecord] {
        store.scenes.prefix(limit).compactMap { store[$0] }
    }

    /// Numbers of the scenes, in the order in which the scenes were first saved.
    package var sceneNumbers: [UInt32] { store.scenes }

    /// Number of scenes.
    package var sceneCount: Int { store.sceneCount }

    /// Number of objects, without scenes.
    package var objectCount: Int { store.count - store.sceneCount }

    /// Returns the newest record of a scene, or `nil` if no scene has this name.
    package func scene(named name: String) -> ObjectRecord? {
        store.scene(named: name).flatMap { store[$0] }
    }

    /// Returns the newest records of a scene or object and of all objects below it.
    ///
    /// Each record follows its parent's record and precedes its out-of-line values.
    package func records(below number: UInt32) -> RecordList { store.records(below: number) }

    /// Returns the newest record of an object or scene, or `nil` if it does not exist.
    package func object(_ number: UInt32) -> ObjectRecord? { store[number] }

    /// Returns the newest pass of a scene, or `nil` if the scene has none.
    package func pass(ofScene number: UInt32) -> PassEnd? { store.passes[number] }

    /// Pass with the latest timestamp of all scenes, or `nil` if there is no pass.
    package var lastPass: PassEnd? {
        store.passes.values.max { $0.timestamp < $1.timestamp }
    }

    /// Returns the restoration path of an object, or `nil` if the object does not exist or has a different kind.
    ///
    /// The path of a scene is empty.
    ///
    /// - Parameter kind: Kind that the object must have, or `nil` for any kind.
    package func path(of number: UInt32, kind: UInt8? = nil) -> String? {
        guard let found = store.fields(of: number, \.kind), kind ?? found == found else {
            return nil
        }
        var identifiers: [String] = []
        var next = number
        while let header = store.header(of: next), header.parent != 0 {
            identifiers.append(header.identifier)
            next = header.parent
        }
        return identifiers.reversed().joined(separator: "/")
    }

    /// Names, keyed by their numbers.
    package var names: [UInt32: String] { store.names }

    /// Highest number that any object in this archive has had, or 0 if it never had objects.
    package var highestObjectNumber: UInt32 { store.highestObjectNumber }

    /// Returns and removes the incidents that have occurred since the last call.
    package func consumeIncidents() -> [ArchiveIncident] { log.incidents.popAll() }

    // MARK: Durability

    /// Number of the last write.
    package var writeNumber: UInt64 { log.durability.written }

    /// Number of the last write up to which all writes are durable.
    package var durableWriteNumber: UInt64 { log.durability.durable }

    /// Whether all appended changes are durable.
    package var isDurable: Bool { log.isDurable }

    /// Begins to make all written records durable.
    ///
    /// - Returns: Job to run on another thread and then pass to ``endSync(_:_:)``, or `nil` if there is nothing to do
    ///   or another sync is in progress.
    package func beginSync() -> SyncJob? { log.beginSync() }

    /// Processes the result of a sync.
    ///
    /// After an error, the file is no longer used, because a later successful sync would not cover the lost
    /// writes. The state in memory is pending, and the next append writes it to a whole new file.
    ///
    /// - Throws: The error of the sync.
    package func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        try log.endSync(job, result)
    }

    /// Makes all appended changes durable before it returns.
    ///
    /// Errors have the same effect as in ``endSync(_:_:)``.
    package func synchronize() throws(SaveError) {
        try checkLoaded()
        if !log.durability.isComplete { try log.synchronize() }
    }

    // MARK: Compaction

    /// Begins to compact the file if it is more than twice as long as necessary. Appends continue during the
    /// compaction.
    ///
    /// - Returns: Job to run on another thread and then pass to ``endCompaction(_:_:)``, or `nil` if the file is not
    ///   compacted.
    package func beginCompaction() -> CompactionJob? {
        log.beginCompaction(wholeByteCount: store.byteCount, minimum: compactionMinimum)
    }

    /// Processes the result of a compaction step. Returns the next step, or `nil` after the last step.
    package func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        log.endCompaction(job, result)
    }

    // MARK: Phases

    /// Sets the state after a successful load.
    func markLoaded(_ store: ObjectStore, _ log: ArchiveLog, torn: TornArchive? = nil) {
        phase = .loaded
        lacksReplica = true
        self.store = store
        let earlier = self.log.durability
        self.log = log
        self.log.durability.follow(earlier)
        self.torn = torn
        if isGenerationRequired { history.required = nil }
    }

    /// Sets the state after a failed load, when nothing is known about the saved state.
    func markRefused(_ error: LoadError) {
        markLoaded(ObjectStore(), ArchiveLog(at: place))
        phase = .refused(error)
    }

    /// Sets the state after the file was removed without being replaced.
    func markRemoved() { markLoaded(ObjectStore(), ArchiveLog(after: log)) }

    /// Throws an error unless a load has succeeded.
    func checkLoaded() throws(SaveError) {
        switch phase {
        case .unloaded: throw .notLoaded(path: path)
        case .refused(let error): throw .refused(path: path, because: error)
        case .loaded: return
        }
    }

    /// Opens the application's directory, and creates it durably if it does not exist.
    func openOrMakeFolder() throws(IOError) -> any Folder {
        if foldersAreDurable, let folder = try place.folder() { return folder }
        foldersAreDurable = false
        let folder = try place.makeFolder()
        // An interrupted salvage may have left this file. It must never be restored after a new archive was written.
        try folder.remove(Layout.salvaged)
        foldersAreDurable = true
        return folder
    }
}
