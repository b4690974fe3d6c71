import Preservation
import StateRestoration
import Testing

@testable import Reprise

@Suite struct StatusSentenceTests {
    private func status(
        _ name: String, _ phase: ApplicationStatus.Phase = .running, scenes: Int = 1,
        saved: DurabilityLevel = .durable
    ) -> ApplicationStatus {
        ApplicationStatus(
            bundleIdentifier: name, bundleVersion: "1", phase: phase,
            scenes: (0..<scenes).map {
                SceneStatus(
                    name: RestorationIdentifier(recorded: "scene\($0)"),
                    report: RestorationReport(reason: .pristine))
            }, saved: saved, lastPass: nil, lastError: nil)
    }

    @Test func `one application and one scene are described in the singular`() {
        #expect(
            StatusSentence([status("a")]).text
                == "Hosting 1 application with 1 scene, everything is saved.")
    }

    @Test
    func `running applications and their scenes are counted, and stopped applications are not`() {
        let statuses = [
            status("a", scenes: 2), status("b", scenes: 1), status("c", .stopped, scenes: 0),
        ]
        #expect(
            StatusSentence(statuses).text
                == "Hosting 2 applications with 3 scenes, everything is saved.")
        #expect(
            StatusSentence([]).text
                == "Hosting 0 applications with 0 scenes, everything is saved.")
    }

    @Test func `a configuration that was not applied is reported with its first error`() {
        #expect(
            StatusSentence([status("a")], configurationError: "/c:7:3: wrong\n/c:9:1: too").text
                == "Hosting 1 application with 1 scene, everything is saved. "
                + "The changed configuration was not applied: /c:7:3: wrong")
    }

    @Test func `unsaved state is reported with the reason`() {
        let statuses = [status("a"), status("b", saved: .notSaved(reason: "the disk is full"))]
        #expect(StatusSentence(statuses).text == "b is not saved: the disk is full")
    }

    @Test(arguments: [ApplicationStatus.Phase.stopped, .launching])
    func `unsaved state of an application that is not running is reported too`(
        phase: ApplicationStatus.Phase
    ) {
        let statuses = [
            status("a"), status("b", phase, saved: .notSaved(reason: "the disk is full")),
        ]
        #expect(StatusSentence(statuses).text == "b is not saved: the disk is full")
    }

    @Test func `a failed launch takes precedence over unsaved state`() {
        let statuses = [
            status("a", saved: .notSaved(reason: "the disk is full")),
            status("b", .failed(reason: "no storyboard"), scenes: 0),
        ]
        #expect(StatusSentence(statuses).text == "b could not be launched: no storyboard")
    }

    @Test func `state that is only written counts as saved`() {
        #expect(
            StatusSentence([status("a", saved: .written)]).text
                == "Hosting 1 application with 1 scene, everything is saved.")
    }
}
