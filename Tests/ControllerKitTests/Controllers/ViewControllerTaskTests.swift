import StateRestoration
import Synchronization
import Testing

@testable import ControllerKit

@Suite struct ViewControllerTaskTests {
    /// A scene whose controllers' tasks wait until a test runs them.
    private final class ManualTaskApplication: ApplicationDelegate {
        let window: Window? = Window()
        private(set) var waiting: [() async -> Void] = []
        private(set) var cancelled = 0
        private var scene: Scene?

        init(_ root: ViewController) throws {
            window?.rootViewController = root
            let scene = Scene(
                name: "main", launchReason: .pristine, delegate: self, classes: .controllerKit,
                records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
            scene.records.startTask = { [unowned self] body in
                waiting.append(body)
                return { [weak self] in self?.cancelled += 1 }
            }
            self.scene = scene
            try scene.launch(restoring: nil)
        }

        /// Attaches the scene's root to the scene.
        func attach() {
            scene?.attachRoot()
        }

        func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
            true
        }

        func pass() {
            _ = scene?.preserve(
                PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""), .everything())
        }

        func runAll() async {
            while !waiting.isEmpty { await waiting.removeFirst()() }
        }
    }

    /// A controller that starts a task when its view is loaded, and sets its title in the task.
    private final class Titled: ViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            task { controller in
                await Task.yield()
                controller { $0.setOwnTitle() }
            }
        }

        func setOwnTitle() { title = "set by a task" }
    }

    @Test func `S4: a task accesses its controller as its concrete class`() async throws {
        let root = Titled()
        let stage = try ManualTaskApplication(root)
        root.loadViewIfNeeded()
        stage.attach()
        await stage.runAll()
        #expect(root.title == "set by a task")
    }

    @Test func `S4: a task does not retain its controller and is cancelled with it`() async throws {
        let root = ViewController()
        let stage = try ManualTaskApplication(root)
        stage.attach()
        var child: Titled? = Titled()
        weak let gone = child
        child.map(root.addChild)
        child?.loadViewIfNeeded()
        #expect(stage.waiting.count == 1)
        child?.removeFromParent()
        child = nil
        #expect(gone == nil)
        #expect(stage.cancelled == 1)
        await stage.runAll()
    }

    @Test func `S4: a task's calls return nil after its controller was deallocated`() async throws {
        let root = ViewController()
        let stage = try ManualTaskApplication(root)
        stage.attach()
        let answers = Answers()
        var child: Titled? = Titled()
        child.map(root.addChild)
        child?.task { controller in
            answers.add(controller { $0.title })
        }
        child?.removeFromParent()
        child = nil
        await stage.runAll()
        #expect(answers.all == [nil])
    }

    @Test func `S4: a finished task is not cancelled when its controller is deallocated`()
        async throws
    {
        let root = ViewController()
        let stage = try ManualTaskApplication(root)
        stage.attach()
        var child: Titled? = Titled()
        child.map(root.addChild)
        child?.loadViewIfNeeded()
        await stage.runAll()
        #expect(child?.title == "set by a task")
        child?.removeFromParent()
        child = nil
        #expect(stage.cancelled == 0)
    }

    @Test func `S4: a controller that moves to a container's presentation starts its tasks`()
        async throws
    {
        let root = NavigationController()
        let stage = try ManualTaskApplication(root)
        stage.attach()
        let (page, sheet) = (ViewController(), Titled())
        sheet.loadViewIfNeeded()
        #expect(page.present(sheet))
        #expect(stage.waiting.isEmpty)
        root.pushViewController(page)
        #expect(sheet.presenter === root)
        await stage.runAll()
        #expect(sheet.title == "set by a task")
    }

    @Test func `S4: a controller that is dismissed before it appears does not start its tasks`()
        throws
    {
        final class Fleeting: ViewController {
            override func viewWillAppear() { dismiss() }
        }
        let root = ViewController()
        let stage = try ManualTaskApplication(root)
        stage.window?.makeKeyAndVisible()
        stage.attach()
        let fleeting = Fleeting()
        fleeting.task { _ in }
        #expect(!root.present(fleeting))
        #expect(stage.waiting.isEmpty)
    }

    @Test func `S4: a task waits until its controller belongs to a scene`() async throws {
        let root = ViewController()
        let middle = ViewController()
        let child = Titled()
        child.loadViewIfNeeded()
        let stage = try ManualTaskApplication(root)
        stage.attach()
        #expect(stage.waiting.isEmpty)
        middle.addChild(child)
        #expect(stage.waiting.isEmpty)
        root.addChild(middle)
        #expect(stage.waiting.count == 1)
        await stage.runAll()
        #expect(child.title == "set by a task")
    }

    @Test func `S4: a controller that does not take part in preservation can run tasks`()
        async throws
    {
        let root = ViewController()
        let middle = ViewController()
        let child = Titled()
        child.loadViewIfNeeded()
        root.addChild(middle)
        middle.addChild(child)
        let stage = try ManualTaskApplication(root)
        #expect(stage.waiting.isEmpty)
        stage.pass()
        #expect(stage.waiting.count == 1)
        await stage.runAll()
        #expect(child.title == "set by a task")
    }
}

/// The values that tasks received from their controllers.
private final class Answers: Sendable {
    private let answers = Mutex<[String?]>([])

    var all: [String?] { answers.withLock { $0 } }

    func add(_ answer: String?) {
        answers.withLock { $0.append(answer) }
    }
}
