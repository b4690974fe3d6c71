import ExactText
import LinuxIO
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Loss of saved state, as described in a scene's launch report (R15).
struct StateLoss {
    /// Sentence that explains why a scene is launched without its state, or `nil` if no explanation is available.
    ///
    /// The sentence does not end with a period.
    var lossDescription: String?
    /// Sentence that identifies the earlier state that replaces an unusable archive, or `nil` if the archive is usable.
    ///
    /// The sentence does not end with a period.
    var earlierStateDescription: String?
    /// Objects with damaged records.
    var damagedObjects: [UnrestoredObject] = []
}

extension StateLoss {
    /// Finds the previous state of a scene without saved state, or returns `nil` if no previous state is found.
    ///
    /// Only the newest generation and the newest matching file in quarantine are searched.
    init?(of scene: RestorationIdentifier, in archive: ApplicationArchive) {
        let newestGeneration = archive.newestGeneration()
        let isInHistory =
            newestGeneration.map { newestGeneration in
                archive.mayContain(scene) {
                    try archive.contents(ofGeneration: newestGeneration.name)
                }
            } ?? false
        if let quarantinedFile = archive.newestQuarantinedFile(of: scene),
            !isInHistory || quarantinedFile.time ?? 0 > newestGeneration?.time ?? 0,
            archive.mayContain(
                scene, reading: { try archive.contents(ofQuarantinedFile: quarantinedFile.name) })
        {
            lossDescription =
                "it is in quarantine: \(archive.putBackCommand(of: quarantinedFile.name)) brings it back"
        } else if let newestGeneration, isInHistory {
            lossDescription =
                "it is in the history, because \(newestGeneration.reason ?? "another program put it there"): "
                + "\(archive.rollBackCommand(to: newestGeneration.name, scene: scene.text)) brings it back"
        } else {
            return nil
        }
    }
}

extension ApplicationArchive {
    /// Returns the newest file in quarantine that may contain the given scene, or `nil` if there is no such file.
    fileprivate func newestQuarantinedFile(of scene: RestorationIdentifier) -> StoredFile? {
        do throws(IOError) {
            return try quarantinedFiles(readsReasons: false).last { file in
                // The name is split at a byte, because a hyphen and a following combining mark would form a single
                // character.
                let baseName = file.name.utf8.drop { $0 != UInt8(ascii: "-") }.dropFirst()
                return file.kind == .file
                    && ["\(scene).archive", "data.archive"].contains(String(Substring(baseName)))
            }
        } catch {
            return nil
        }
    }

    /// Returns whether a file contains a scene, or `true` if the file cannot be read.
    fileprivate func mayContain(
        _ scene: RestorationIdentifier, reading readContents: () throws -> StoredContents
    ) -> Bool {
        do {
            return try readContents().contents.sceneNames.contains(scene)
        } catch {
            return true
        }
    }
}

/// Type that loads an application's archive for a launch and logs any damage.
struct ArchiveLoader {
    let archive: ApplicationArchive
    let log: ApplicationLog

    /// Loads the archive.
    ///
    /// - Returns: The launch reason for saved scenes (R2) and the damage to the archive (L5). The damage is `nil` if
    ///   the archive is intact or ends in an incomplete write.
    /// - Throws: An error that states why the archive cannot be loaded (L5).
    @discardableResult
    func load() throws(LoadError) -> (reason: LaunchReason, damage: Damage?) {
        // The archive in memory contains changes that an earlier quit could not save to the file.
        if archive.hasPendingChanges { return (.restore, nil) }
        switch try archive.load(referencedNameNumbers: \.referencedNameNumbers) {
        case .none:
            return (.pristine, nil)
        case .loaded(let isClosed, let tornWrite):
            guard let tornWrite else { return (isClosed ? .restore : .recover, nil) }
            let sentence =
                "\(archive.path) ends in an incomplete write of \(tornWrite.byteCount) bytes at byte "
                + "\(tornWrite.offset): \(tornWrite.reason); these bytes are ignored, and a copy of the file is stored "
                + "in quarantine. A power cut or a kill interrupts a write in this way, and no client "
                + "received a reply for that write. If the file was truncated in another way, the "
                + "state in its last part is lost, and \(archive.instruction("history", orCall: "history()")) lists the "
                + "earlier generations"
            log.logProblem(.warning, .quarantined, sentence, reason: tornWrite.reason)
            return (isClosed ? .restore : .recover, nil)
        case .damaged(let damage):
            let problem =
                damage.cause == .changedBytes
                ? "is damaged at byte \(damage.offset)" : "cannot be used"
            let sentence =
                "\(archive.path) \(problem): \(damage.reason); it is in quarantine as "
                + "\(damage.quarantinePath), and \(recoveryDescription(of: damage))"
            log.logProblem(.error, .quarantined, sentence, reason: damage.reason)
            if damage.salvageReport != nil {
                log.notifyFollower([ApplicationEvent(.salvaged, message: sentence)])
            }
            return (.recover, damage)
        }
    }

    private func recoveryDescription(of damage: Damage) -> String {
        let salvageInstruction = archive.putBackCommand(
            of: damage.quarantinePath, salvaging: true)
        let usedStateDescription =
            if let salvageSourcePath = damage.salvageSourcePath {
                "the newest earlier state, \(salvageSourcePath), is used"
                    + (damage.cause == .changedBytes
                        ? " (\(salvageInstruction) "
                            + "replaces it with the intact objects of the damaged file)" : "")
            } else if let salvageReport = damage.salvageReport {
                "its intact objects are used: \(salvageReport.lostObjects.count) "
                    + (salvageReport.lostObjects.count == 1
                        ? "object is damaged" : "objects are damaged")
                    + (salvageReport.isComplete
                        ? "" : ", and objects that are not listed may be missing")
            } else if damage.salvagedContents == nil {
                "because there is no earlier state, the launch is pristine"
            } else {
                "the part before the damage is used (\(salvageInstruction) puts back the intact objects after it)"
            }
        return "\(usedStateDescription); \(damage.cause.remedy)"
    }
}

extension ObjectRecord {
    /// Numbers of the names that occur in the record's values, or `nil` if the values are not valid.
    var referencedNameNumbers: [UInt32]? {
        SavedValues(values, outOfLine: outOfLine.map(\.bytes)).keyNumbers
    }
}

extension Damage {
    /// Returns the state that each of the given scenes has lost because of the damage (R15).
    ///
    /// - Parameter scenes: The names of the scenes to launch.
    func losses(of scenes: [RestorationIdentifier]) -> [RestorationIdentifier: StateLoss] {
        var losses: [RestorationIdentifier: StateLoss] = [:]
        for scene in scenes {
            losses[scene] = StateLoss(
                lossDescription:
                    "the archive was damaged at byte \(offset), no part of the scene is intact, and "
                    + "the file is in quarantine as \(quarantinePath)",
                earlierStateDescription: salvageSourcePath.map {
                    "the archive could not be used (\(reason)) and is in quarantine as "
                        + "\(quarantinePath); the state of \($0), which is older, was restored"
                })
        }
        for object in salvageReport?.lostObjects ?? [] {
            guard
                let scene = object.scene.map(RestorationIdentifier.init(recorded:)) ?? scenes.first
            else { continue }
            losses[scene, default: StateLoss()].damagedObjects.append(
                makeDamagedObject(object.path == nil ? nil : object.displayName, object.reason))
        }
        if salvageReport?.isComplete == false {
            for scene in scenes {
                losses[scene, default: StateLoss()].damagedObjects.append(
                    makeDamagedObject(nil, "further objects in the archive may be damaged"))
            }
        }
        return losses
    }

    private func makeDamagedObject(_ path: String?, _ reason: String) -> UnrestoredObject {
        UnrestoredObject(
            path: path ?? UnrestoredObject.unknownPath, code: .damaged,
            detail: "\(reason); the damaged file is in quarantine as \(quarantinePath)",
            remedy:
                "Set its values again, or restore a backup of the archive while the program is stopped. "
                + "`reprisectl inspect '\(quarantinePath)'` shows which objects are intact.")
    }
}
