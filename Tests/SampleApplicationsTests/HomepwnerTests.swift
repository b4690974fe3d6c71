import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing

@testable import Reprise
@testable import SampleApplications

@Suite struct HomepwnerTests {
    private static let items = "NavigationController/ItemsViewController"
    private static let presented = "NavigationController/NavigationController"
    private static let detail = "NavigationController/NavigationController/DetailViewController"

    /// A delegate that finds only navigation controllers whose paths do not exceed a maximum
    /// length.
    private final class ForgetfulDelegate: HomepwnerDelegate {
        var longest = 0

        override func application(
            _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
            coder: StateDecoder
        ) -> (any StateRestoring)? {
            guard path.components.count <= longest else { return nil }
            return super.application(
                scene, viewControllerWithRestorationIdentifierPath: path, coder: coder)
        }
    }

    private func forgetful(longest: Int) -> HostedApplication {
        var hosted = HostedApplication.homepwner
        hosted.makeDelegate = { resources in
            let delegate = ForgetfulDelegate(store: try resources.model())
            delegate.longest = longest
            return delegate
        }
        return hosted
    }

    /// Begins a new possession with the given name.
    private func begin(_ name: String, _ application: Application) async throws {
        try await application.command { _ = try $0.tap(at: "\(Self.items)/addButton") }
        try await application.command {
            _ = try $0.type(name, at: "\(Self.detail)/nameField")
        }
    }

    @Test func `dismissing a new possession whose value is not a number requires confirmation`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.homepwner, in: directory) { application async throws in
                try await begin("Chair", application)
                let field = "\(Self.detail)/valueField"
                try await application.command { _ = try $0.type("12a", at: field) }
                let unsaved = ControlError.unsavedChanges(path: Self.detail, method: "dismiss")
                await #expect(throws: unsaved) {
                    try await application.command { _ = try $0.dismiss(keepsChanges: true) }
                }
                try await application.command { _ = try $0.type("12", at: field) }
                try await application.command { _ = try $0.dismiss(keepsChanges: true) }
            }
        }
    }

    @Test func `A3: a possession is new if the path of its detail controller has three components`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.homepwner, in: directory) { try await begin("Chair", $0) }
            try await withApplication(.homepwner, in: directory) { application async throws in
                let picture = try await application.picture()
                #expect(picture.contains("Chair"))
                #expect(picture.contains("Cancel"))
                #expect(try await application.report().unrestored == [])
                try await application.command {
                    _ = try $0.tap(at: "\(Self.detail)/doneButton")
                }
                try await application.command {
                    _ = try $0.tap(row: 0, at: "\(Self.items)/tableView")
                }
            }
            let pushed = try await withApplication(.homepwner, in: directory) {
                application async throws in
                #expect(try await application.report().unrestored == [])
                return try await application.picture()
            }
            #expect(pushed.contains("Chair"))
            #expect(!pushed.contains("Cancel"))
        }
    }

    @Test
    func `R8: a second navigation controller that the delegate does not create is not presented`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.homepwner, in: directory) { try await begin("Chair", $0) }
            try await withApplication(forgetful(longest: 1), in: directory) {
                application async throws in
                let picture = try await application.picture()
                #expect(picture.contains("Homepwner"))
                #expect(!picture.contains("Cancel"))
                let report = try await application.report()
                let codes = Dictionary(
                    uniqueKeysWithValues: report.unrestored.map { ($0.path, $0.code) })
                #expect(codes[Self.presented] == .noObject)
                #expect(codes[Self.detail] == .ancestorNotRestored)
                #expect(codes[Self.items] == nil)
                let passMetadata = await application.passMetadata()
                let story = try await application.command {
                    $0.explanation(of: Self.detail, passMetadata: passMetadata).explanation
                }
                #expect(story.liveObject == nil)
                #expect(story.unrestoredObject?.code == .ancestorNotRestored)
            }
        }
    }

    @Test func `A3: the default interface is created if the root is not restored`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.homepwner, in: directory) { try await begin("Chair", $0) }
            try await withApplication(forgetful(longest: 0), in: directory) {
                application async throws in
                let picture = try await application.picture()
                #expect(picture.contains("Homepwner"))
                #expect(picture.contains("Chair"))
                let report = try await application.report()
                #expect(report.unrestored.first?.path == "NavigationController")
                #expect(report.unrestored.first?.code == .noObject)
            }
        }
    }
}
