// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bullet.cpp - Bullet's core, without a renderer: boxes, spheres and a
// compound fall on a plane and come to rest. Rich in small value classes
// (vectors, quaternions, transforms) on the stack.
//
//   bullet [STEPS]   prints a checksum of where the bodies are
#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

int main(int argc, char **argv) {
  const int Steps = argc > 1 ? std::atoi(argv[1]) : 240;
  btDefaultCollisionConfiguration Configuration;
  btCollisionDispatcher Dispatcher(&Configuration);
  btDbvtBroadphase Broadphase;
  btSequentialImpulseConstraintSolver Solver;
  btDiscreteDynamicsWorld World(&Dispatcher, &Broadphase, &Solver,
                                &Configuration);
  World.setGravity(btVector3(0, -10, 0));
  btStaticPlaneShape Ground(btVector3(0, 1, 0), 0);
  btBoxShape Box(btVector3(0.5f, 0.5f, 0.5f));
  btSphereShape Sphere(0.5f);
  btCompoundShape Pair;
  Pair.addChildShape(btTransform(btQuaternion(0, 0, 0), btVector3(0.5f, 0, 0)),
                     &Box);
  Pair.addChildShape(btTransform(btQuaternion(0, 0, 0), btVector3(-0.5f, 0, 0)),
                     &Sphere);
  std::vector<std::unique_ptr<btRigidBody>> Bodies;
  auto Add = [&](btScalar Mass, btCollisionShape &Shape, const btVector3 &At) {
    btVector3 Inertia(0, 0, 0);
    if (Mass != 0)
      Shape.calculateLocalInertia(Mass, Inertia);
    btRigidBody::btRigidBodyConstructionInfo Info(Mass, nullptr, &Shape,
                                                  Inertia);
    Info.m_startWorldTransform.setIdentity();
    Info.m_startWorldTransform.setOrigin(At);
    Bodies.push_back(std::make_unique<btRigidBody>(Info));
    World.addRigidBody(Bodies.back().get());
  };
  Add(0, Ground, btVector3(0, 0, 0));
  btCollisionShape *const Shapes[] = {&Box, &Sphere, &Pair};
  for (int I = 0; I < 5; ++I)
    for (int J = 0; J < 5; ++J)
      for (int K = 0; K < 4; ++K)
        Add(1, *Shapes[(I + J + K) % 3],
            btVector3(1.6f * I + 0.1f * K, 1 + 1.2f * K, 1.2f * J));
  for (int I = 0; I < Steps; ++I)
    World.stepSimulation(1.0f / 60, 0);
  double Sum = 0;
  for (const auto &Body : Bodies) {
    const btVector3 &At = Body->getWorldTransform().getOrigin();
    Sum += At.x() + 3 * At.y() + 7 * At.z();
  }
  std::printf("%.3f\n", Sum);
  while (!Bodies.empty()) {
    World.removeRigidBody(Bodies.back().get());
    Bodies.pop_back();
  }
}
