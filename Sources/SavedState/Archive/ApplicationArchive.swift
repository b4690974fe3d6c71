package import LinuxIO
package import StateRecords

/// The archive of one application: the newest state of its scenes, in one file.
///
/// Load it once, then append what each turn changed. It keeps the newest record of every object, so
/// that what could not be saved is pending and part of the next write that succeeds, and a whole
/// new file can always be written. Not Sendable: it belongs to the application's actor, and what
/// may take long is handed out as a ``SyncJob`` or a ``CompactionJob``.
package final class ApplicationArchive {
    /// Whether it is known what the file holds.
    private enum Phase {
        case unloaded
        case loaded
        case refused(LoadError)
    }

    let place: ArchivePlace
    /// A file of so many bytes or fewer is not compacted.
    let compactionMinimum: Int
    private var phase = Phase.unloaded
    /// The newest state, saved or not.
    @exclusivity(unchecked) var store = ObjectStore()
    /// The file, and what it lacks of that.
    @exclusivity(unchecked) var log: ArchiveLog
    /// What has to be kept, or was kept last, of what was saved before.
    var history = Generations()
    /// A file with a torn end, which is copied to quarantine before it is replaced.
    var torn: TornArchive?
    /// Where everything goes that is written, beside the file; nil: nowhere.
    var replica: (any StateReplica)?
    /// Whether the replica does not know what is in memory, and is to be given all with the next write.
    package internal(set) var lacksReplica = true
    /// Whether this object made the folders' own entries durable; who made them may have failed to.
    private var foldersAreDurable = false

    /// The archive of one application below a state directory; nothing is read or made yet.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: whose it is; fit for a name, see ``InvalidBundleIdentifier``.
    ///   - limit: the most bytes that a file may have.
    ///   - compactionMinimum: a file of so many bytes or fewer is not compacted.
    ///   - launchGuard: Counts crashes against scenes, but no crash of code that reads the application's files.
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

    /// Whose archive it is.
    package var bundleIdentifier: String { place.bundleIdentifier }

    /// The path of the archive's file, whether it exists or not.
    package var path: String { place.path }

    // MARK: What is saved

    /// Whether something was appended that could not be saved yet.
    package var hasPending: Bool { log.isPending }

    /// Whether there is something to write: what is pending, a required generation, or a whole
    /// file in the place of one that the process before did not close.
    package var hasUnwritten: Bool { hasPending || isGenerationRequired || log.isInherited }

    /// Whether a load succeeded.
    package var hasState: Bool { if case .loaded = phase { true } else { false } }

    /// Whether the last thing that is saved is that the application has ended.
    package var isClosed: Bool { hasState && log.isClosed }

    /// Whether a load succeeded, or failed for good.
    package var isLoaded: Bool { if case .unloaded = phase { false } else { true } }

    /// The newest state, saved or not; `nil` before a load succeeded.
    package var contents: ArchiveContents? {
        hasState ? store.contents(closed: log.isClosed, sequence: log.sequence) : nil
    }

    /// The newest records of each scene, saved or not, in the order in which they first came.
    package var scenes: [ObjectRecord] { scenes(atMost: .max) }

    /// The newest records of the first scenes, in the order in which they first came.
    package func scenes(atMost limit: Int) -> [ObjectRecord] {
        store.scenes.prefix(limit).compactMap { store[$0] }
    }

    /// The numbers of the scenes, in the order in which they first came.
    package var sceneNumbers: [UInt32] { store.scenes }

    /// How many scenes there are.
    package var sceneCount: Int { store.sceneCount }

    /// How many objects there are, without scenes.
    package var objectCount: Int { store.count - store.sceneCount }

    /// The newest record of the scene of a name; `nil` if there is none.
    package func scene(named name: String) -> ObjectRecord? {
        store.scene(named: name).flatMap { store[$0] }
    }

    /// The newest records of a scene, or an object, and of what lies below it, each after its parent
    /// and before its out-of-line values.
    package func records(below number: UInt32) -> RecordList { store.records(below: number) }

    /// The newest record of an object, or of a scene; `nil` if there is none.
    package func object(_ number: UInt32) -> ObjectRecord? { store[number] }

    /// The newest pass of a scene; `nil` if it has none.
    package func pass(ofScene number: UInt32) -> PassEnd? { store.passes[number] }

    /// The newest pass of all, by the time that it tells.
    package var lastPass: PassEnd? {
        store.passes.values.max { $0.timestamp < $1.timestamp }
    }

    /// The path of an object; empty for a scene, nil if there is none of that number.
    ///
    /// - Parameter kind: the kind that the object must have; nil: any.
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

    /// The names by their numbers.
    package var names: [UInt32: String] { store.names }

    /// The highest number that any object here has had; 0 for none.
    package var highestObjectNumber: UInt32 { store.highestObjectNumber }

    /// What happened to the file since this was last asked.
    package func takeIncidents() -> [ArchiveIncident] { log.incidents.take() }

    // MARK: Durability

    /// The number of the last write.
    package var writeNumber: UInt64 { log.durability.written }

    /// The number of the last write that is durable, with all before it.
    package var durableWriteNumber: UInt64 { log.durability.durable }

    /// Whether everything that was appended is durable.
    package var isDurable: Bool { log.isDurable }

    /// Begins to make durable what was written.
    ///
    /// - Returns: what another thread is to run; ``endSync(_:_:)`` has to be told of its result.
    ///   Nil if there is nothing to do, or a sync is going on.
    package func beginSync() -> SyncJob? { log.beginSync() }

    /// A sync has ended; throws why what was written is not durable.
    ///
    /// The file is finished then: a later success would say nothing of what was lost. What is
    /// in memory is pending, and the next append writes a whole new file of it.
    package func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        try log.endSync(job, result)
    }

    /// Makes all durable that was appended, before it returns; errors as in ``endSync(_:_:)``.
    package func synchronize() throws(SaveError) {
        try checkLoaded()
        if !log.durability.isComplete { try log.synchronize() }
    }

    // MARK: Compaction

    /// Begins to leave out of the file what no longer counts, while appends go on, if that is worth
    /// it: the file is more than twice as long as it has to be.
    ///
    /// - Returns: what another thread is to run, with the result for ``endCompaction(_:_:)``.
    package func beginCompaction() -> CompactionJob? {
        log.beginCompaction(wholeByteCount: store.byteCount, minimum: compactionMinimum)
    }

    /// A step of the compaction has ended; gives the next one, or nil.
    package func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        log.endCompaction(job, result)
    }

    // MARK: Phases

    /// A load has succeeded.
    func noteLoaded(_ store: ObjectStore, _ log: ArchiveLog, torn: TornArchive? = nil) {
        phase = .loaded
        lacksReplica = true
        self.store = store
        let earlier = self.log.durability
        self.log = log
        self.log.durability.follow(earlier)
        self.torn = torn
        if isGenerationRequired { history.required = nil }
    }

    /// A load has failed: nothing is known of what is saved.
    func noteRefused(_ error: LoadError) {
        noteLoaded(ObjectStore(), ArchiveLog(at: place))
        phase = .refused(error)
    }

    /// What was loaded is not there any more, and nothing is in its place.
    func noteGone() { noteLoaded(ObjectStore(), ArchiveLog(after: log)) }

    /// Makes sure that a load has succeeded.
    func checkLoaded() throws(SaveError) {
        switch phase {
        case .unloaded: throw .notLoaded(path: path)
        case .refused(let error): throw .refused(path: path, because: error)
        case .loaded: return
        }
    }

    /// The application's folder, made durably if it is missing.
    func openOrMakeFolder() throws(IOError) -> any Folder {
        if foldersAreDurable, let folder = try place.folder() { return folder }
        foldersAreDurable = false
        let folder = try place.makeFolder()
        // Left by an interrupted salvage; once there is another archive it must never come back.
        try folder.remove(Layout.salvaged)
        foldersAreDurable = true
        return folder
    }
}
