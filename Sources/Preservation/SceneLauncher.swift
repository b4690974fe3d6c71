import Logging
import SavedState
import StateRestoration

/// Launches an application's scenes from what its archive holds (R1).
struct SceneLauncher {
    let definition: ApplicationDefinition
    let archive: ApplicationArchive
    let log: ApplicationLog

    /// The scenes of a launch, and what was wrong with the archive.
    struct Launch {
        var scenes: LaunchedScenes
        /// One sentence; nil if the archive is whole.
        var damage: String?
        /// When the archive's last pass was made; nil if nothing was saved.
        var lastPass: Int64?
    }

    private struct Loaded {
        var contents: ArchiveContents?
        var reason: LaunchReason
        var damage: String?
    }

    /// Loads the archive and launches every configured scene.
    ///
    /// - Parameter onMark: called when something of a scene becomes marked while nothing was.
    /// - Throws: why the archive cannot be loaded, or what a factory or a delegate threw.
    func launch(onMark: @escaping () -> Void) throws -> Launch {
        let classes = definition.makeClasses()
        try classes.validate()
        let loaded = try load()
        let scenes = LaunchedScenes(contents: loaded.contents, classes: classes)
        let savedScenes = loaded.contents?.savedScenes() ?? [:]
        for name in definition.scenes {
            let saved = savedScenes[name]
            let scene = try scenes.launch(
                name, of: definition, reason: saved == nil ? .pristine : loaded.reason,
                restoring: saved, onMark: onMark)
            tellLaunch(of: scene)
        }
        return Launch(
            scenes: scenes, damage: loaded.damage,
            lastPass: loaded.contents?.passes.values.map(\.timestamp).max())
    }

    private func load() throws -> Loaded {
        if archive.hasPending, let contents = archive.contents {
            // The file has not what an earlier quit could not save.
            return Loaded(contents: contents, reason: .restore)
        }
        switch try archive.load() {
        case .none:
            return Loaded(reason: .pristine)
        case .loaded(let contents, let torn):
            if let torn {
                log.tell(
                    .warning, .quarantined,
                    "the saved state ended in \(torn.byteCount) bytes that were never complete, "
                        + "at offset \(torn.offset): \(torn.reason); they were cut")
            }
            return Loaded(contents: contents, reason: contents.closed ? .restore : .recover)
        case .damaged(let damage):
            let outcome =
                damage.salvaged == nil ? "the launch is pristine" : "an older state is used"
            let sentence =
                "the saved state is damaged at offset \(damage.offset): \(damage.reason); "
                + "it is kept as \(damage.quarantinedAs), and \(outcome)"
            log.tell(.error, .quarantined, sentence, reason: damage.reason)
            return Loaded(contents: damage.salvaged, reason: .recover, damage: sentence)
        }
    }

    private func tellLaunch(of scene: Scene) {
        let report = scene.report
        let name = scene.name.text
        let reason = report.reason.rawValue
        log.tell(.notice, .launched, "launched (\(reason))", scene: name, reason: reason)
        guard report.reason != .pristine else { return }
        log.tell(
            .notice, .restored, "restored \(report.restored) of \(report.recorded) objects",
            scene: name, reason: reason)
        for object in report.unrestored.prefix(100) {
            log.tell(
                .warning, .notRestored,
                "\(object.path) was not restored (\(object.code.rawValue)): \(object.detail)",
                scene: name, path: object.path, reason: object.code.rawValue)
        }
    }
}
