import SavedState
import StateRestoration

/// The scenes of a running application, with what they share.
final class LaunchedScenes {
    let names: NameTable
    let numbering: RecordNumbering
    let classes: ClassRegistry
    private(set) var scenes: [Scene] = []

    /// - Parameter contents: what the archive holds; nil: nothing.
    init(contents: ArchiveContents?, classes: ClassRegistry) {
        names = NameTable(contents?.names ?? [:])
        numbering = RecordNumbering(after: contents?.highestObjectNumber ?? 0)
        self.classes = classes
    }

    /// Launches a scene.
    ///
    /// - Throws: what its factory or its delegate threw.
    func launch(
        _ name: RestorationIdentifier, of definition: ApplicationDefinition,
        reason: LaunchReason, restoring saved: SavedScene?, onMark: @escaping () -> Void
    ) throws -> Scene {
        let parts = try definition.makeScene(SceneContext(name: name, classes: classes))
        let scene = Scene(
            name: name, launchReason: reason, delegate: parts.delegate, classes: classes,
            records: SceneRecords(names: names, numbering: numbering))
        try scene.launch(restoring: saved, storyboards: parts.storyboards)
        scene.records.onMark = onMark
        scenes.append(scene)
        return scene
    }

    /// A scene by its name; without a name the one launched first. Nil if there is none.
    func scene(_ name: String?) -> Scene? {
        guard let name else { return scenes.first }
        return scenes.first { $0.name == RestorationIdentifier(recorded: name) }
    }
}
