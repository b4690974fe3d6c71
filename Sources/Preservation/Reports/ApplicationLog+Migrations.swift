import Logging
import StateRestoration

extension ApplicationLog {
    /// Logs the migrations that a scene's launch used to convert saved values.
    ///
    /// - Parameter version: The version of the program.
    func logMigrations(of scene: HostedScene, to version: String) {
        for case let object as any DeclaredObject in scene.valueObjects {
            for sentence in object.migrationSentences(to: version) {
                log(
                    .info, .migrated, sentence, scene: scene.name.text,
                    path: object.restoration.identifier?.text)
            }
        }
    }
}

extension DeclaredObject {
    /// Returns one sentence for each migration that the launch used to convert saved values.
    ///
    /// - Parameter version: The version of the program.
    fileprivate func migrationSentences(to version: String) -> [String] {
        guard identifierRank == 0, let typeName, let identifier = restoration.identifier?.text
        else {
            return []
        }
        return migrationCounts.map { migrated in
            let elementsPhrase =
                self is CollectionObject ? countPhrase(migrated.count, "element") + " of " : ""
            return """
                migrated \(elementsPhrase)"\(identifier)" from \(migrated.savedTypeName.text(besides: typeName)) to \
                \(typeName.text(besides: migrated.savedTypeName)) (last saved by version \(migrated.savedVersion), now \
                version \(version))
                """
        }
    }
}
