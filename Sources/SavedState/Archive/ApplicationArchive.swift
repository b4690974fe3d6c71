package import LinuxIO
package import StateRecords

/// An application's archive, which stores the newest state of the application's scenes in one file.
///
/// Load the archive once, then append the changes from each turn. The archive keeps the newest record of every object
/// in memory, so that it can replace the file with a complete new file at any time. Changes that could not be saved are
/// pending. The next successful write includes them.
///
/// The archive is not `Sendable`, because it belongs to the application's actor. Slow operations are returned as a
/// ``SyncJob`` or a ``CompactionJob``, which can run on another thread.
package final class ApplicationArchive {
    /// Phase of loading the archive, including the result of a failed load.
    private enum Phase {
        case unloaded
        case loaded
        case loadFailed(LoadError)
    }

    let location: ArchiveLocation
    /// Size, in bytes, up to which the file is never compacted.
    let maximumUncompactedBytes: Int
    private var loadPhase = Phase.unloaded
    /// Newest state, including unsaved changes.
    @exclusivity(unchecked) var store = ObjectStore()
    /// The archive's file, and the changes that have not been written to it yet.
    @exclusivity(unchecked) var log: ArchiveLog
    /// Tracker for the required generation and the newest generation.
    var generationTracker = GenerationTracker()
    /// Archive with a torn end that must be copied to quarantine before the file is replaced, or `nil` if there is
    /// none.
    var tornArchive: TornArchive?
    /// Replica that receives all writes, or `nil` if state is not replicated.
    var replica: (any StateReplica)?
    /// Whether to reserve space in the file for later records.
    ///
    /// Reserved space makes syncs faster. It is worthwhile if each turn is made durable.
    package var reservesSpace = false
    /// Whether operators can control the application with `reprisectl`.
    package var hasControlSocket = false
    /// Whether the next write must send the complete state to the replica, because the replica lacks earlier records.
    package internal(set) var needsFullReplication = true
    /// Whether this object has made the entries for its directories durable.
    ///
    /// An earlier process may have created the directories but failed to make their entries durable.
    private var directoriesAreDurable = false

    /// Creates an object that represents an application's archive. No file is read or created yet.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application. It must be usable as a directory name (see
    ///     ``InvalidBundleIdentifier``).
    ///   - limit: Maximum size of the file in bytes.
    ///   - maximumUncompactedBytes: Size up to which the file is never compacted, in bytes.
    ///   - launchGuard: Guard that attributes crashes to scenes. It does not attribute crashes in code that reads the
    ///     application's files.
    package init(
        bundleIdentifier: String, below stateDirectory: any DirectoryProtocol,
        limit: Int = ArchiveFormat.maximumFileBytes, maximumUncompactedBytes: Int = 1 << 20,
        launchGuard: LaunchGuard? = nil
    ) {
        location = ArchiveLocation(
            of: bundleIdentifier, below: stateDirectory, maximumFileBytes: limit,
            launchGuard: launchGuard)
        log = ArchiveLog(at: location)
        self.maximumUncompactedBytes = maximumUncompactedBytes
    }

    /// Returns the instruction to run a command, or to call a method if the program has no control socket.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of `reprisectl` after the application.
    ///   - call: The equivalent call of a method of `Application`.
    package func instruction(_ arguments: String, orCall call: String) -> String {
        hasControlSocket ? "`reprisectl --app \(bundleIdentifier) \(arguments)`" : "`\(call)`"
    }

    /// Bundle identifier of the application.
    package var bundleIdentifier: String { location.bundleIdentifier }

    /// Path of the archive's file, whether or not the file exists.
    package var path: String { location.path }

    // MARK: Saved state

    /// Whether there are unsaved changes or the file must be replaced.
    package var hasPendingChanges: Bool { log.needsWrite }

    /// Whether the next append must write something even if its turn is empty.
    ///
    /// This is the case if changes are pending, a generation is required, or a previous process did not close the file.
    package var hasUnwrittenState: Bool {
        hasPendingChanges || isGenerationRequired || log.hasInheritedFile
    }

    /// Whether the last load succeeded.
    package var hasState: Bool { if case .loaded = loadPhase { true } else { false } }

    /// Whether the last saved record marks a clean shutdown of the application.
    package var isClosed: Bool { log.isClosed }

    /// Whether a load has been attempted, successfully or not.
    package var wasLoadAttempted: Bool { if case .unloaded = loadPhase { false } else { true } }

    /// Newest state, including unsaved changes, or `nil` if the last load did not succeed.
    package var contents: ArchiveContents? {
        hasState ? store.contents(isClosed: log.isClosed, sequence: log.highestSequence) : nil
    }

    /// Newest record of each scene, including unsaved changes, in the order in which the scenes were first saved.
    package var scenes: [ObjectRecord] { scenes(atMost: .max) }

    /// Returns the newest records of the first scenes, in the order in which the scenes were first saved.
    ///
    /// - Parameter limit: Maximum number of scenes.
    package func scenes(atMost limit: Int) -> [ObjectRecord] {
        store.sceneNumbers.prefix(limit).compactMap { store[$0] }
    }

    /// Numbers of the scenes, in the order in which the scenes were first saved.
    package var sceneNumbers: [UInt32] { store.sceneNumbers }

    /// Number of scenes.
    package var sceneCount: Int { store.sceneCount }

    /// Number of objects, excluding scenes.
    package var objectCount: Int { store.count - store.sceneCount }

    /// Returns a scene's newest record, or `nil` if no scene has this name.
    package func scene(named name: String) -> ObjectRecord? {
        store.sceneNumber(named: name).flatMap { store[$0] }
    }

    /// Returns the newest records of a scene or object and of all its descendants.
    ///
    /// Each record follows its parent's record and precedes its out-of-line values.
    package func records(below number: UInt32) -> RecordList { store.records(below: number) }

    /// Returns the newest record of an object or scene, or `nil` if it does not exist.
    package func object(_ number: UInt32) -> ObjectRecord? { store[number] }

    /// Returns the end of a scene's newest pass, or `nil` if no pass of the scene has been saved.
    package func passEnd(ofScene number: UInt32) -> PassEnd? { store.passEnds[number] }

    /// End of the latest pass of any scene, according to its timestamp, or `nil` if no pass has been saved.
    package var lastPassEnd: PassEnd? {
        store.passEnds.values.max { $0.timestamp < $1.timestamp }
    }

    /// Returns an object's restoration path, or `nil` if the object does not exist or has a different kind.
    ///
    /// The path of a scene is empty.
    ///
    /// - Parameter kind: Kind that the object must have, or `nil` to accept any kind.
    package func path(of number: UInt32, kind: UInt8? = nil) -> String? {
        guard let objectKind = store.withFields(of: number, \.kind),
            kind ?? objectKind == objectKind
        else {
            return nil
        }
        var identifiers: [String] = []
        var ancestorNumber = number
        while let header = store.header(of: ancestorNumber), header.parent != 0 {
            identifiers.append(header.identifier)
            ancestorNumber = header.parent
        }
        return identifiers.reversed().joined(separator: "/")
    }

    /// Names that records refer to by number, keyed by number.
    package var names: [UInt32: String] { store.names }

    /// Highest number that any object in this archive has ever had, or 0 if the archive has never contained an object.
    package var highestObjectNumber: UInt32 { store.highestObjectNumber }

    /// Returns and removes the incidents that have occurred since the last call.
    package func consumeIncidents() -> [ArchiveIncident] { log.incidents.popAll() }

    // MARK: Durability

    /// Number of the last write.
    package var writeNumber: UInt64 { log.durability.writeCount }

    /// Number of the last write that is durable together with all earlier writes.
    package var durableWriteNumber: UInt64 { log.durability.lastDurableWriteNumber }

    /// Whether all appended changes are durable.
    package var isDurable: Bool { log.isDurable }

    /// Begins a sync that makes all written records durable.
    ///
    /// - Returns: A job to run on another thread and then pass to ``endSync(_:_:)``, or `nil` if there is nothing to do
    ///   or another sync is in progress.
    package func beginSync() -> SyncJob? { log.beginSync() }

    /// Processes the result of a sync.
    ///
    /// After an error, the file is no longer used, because a later successful sync would not cover the lost writes. The
    /// next append writes the complete state in memory to a new file.
    ///
    /// - Throws: The error that the sync reported.
    package func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        try log.endSync(job, result)
    }

    /// Makes all written changes durable before returning.
    ///
    /// An error has the same effect as in ``endSync(_:_:)``.
    package func synchronize() throws(SaveError) {
        try checkLoaded()
        if !log.durability.isComplete { try log.synchronize() }
    }

    // MARK: Compaction

    /// Begins to compact the file if it is more than twice as long as necessary.
    ///
    /// Records can be appended during the compaction.
    ///
    /// - Returns: A job to run on another thread and then pass to ``endCompaction(_:_:)``, or `nil` if no compaction is
    ///   necessary or possible.
    package func beginCompaction() -> CompactionJob? {
        log.beginCompaction(
            compactedByteCount: store.byteCount, maximumUncompactedBytes: maximumUncompactedBytes)
    }

    /// Processes the result of a compaction step, and returns the next step, or `nil` after the last step.
    package func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        log.endCompaction(job, result)
    }

    // MARK: Phases

    /// Updates this object after a successful load.
    func markLoaded(_ store: ObjectStore, _ log: ArchiveLog, tornArchive: TornArchive? = nil) {
        loadPhase = .loaded
        needsFullReplication = true
        self.store = store
        let previousDurability = self.log.durability
        self.log = log
        self.log.durability.supersede(previousDurability)
        self.tornArchive = tornArchive
        if isGenerationRequired { generationTracker.requiredGeneration = nil }
    }

    /// Updates this object after a failed load. The saved state is then unknown.
    func markLoadFailed(_ error: LoadError) {
        markLoaded(ObjectStore(), ArchiveLog(at: location))
        loadPhase = .loadFailed(error)
    }

    /// Updates this object after the file has been removed.
    func markRemoved() { markLoaded(ObjectStore(), ArchiveLog(after: log)) }

    /// Throws an error unless the archive has been loaded successfully.
    func checkLoaded() throws(SaveError) {
        switch loadPhase {
        case .unloaded: throw .notLoaded(path: path)
        case .loadFailed(let error): throw .loadFailed(path: path, because: error)
        case .loaded: return
        }
    }

    /// Opens the application's directory. If the directory does not exist, creates it durably.
    func openOrCreateDirectory() throws(IOError) -> any DirectoryProtocol {
        if directoriesAreDurable, let directory = try location.openDirectory() { return directory }
        directoriesAreDurable = false
        let directory = try location.openOrCreateDirectory()
        // An interrupted salvage may have left this file. The file must never be restored after a new archive has been
        // written.
        try directory.remove(StateDirectoryLayout.salvagedArchiveName)
        directoriesAreDurable = true
        return directory
    }
}
