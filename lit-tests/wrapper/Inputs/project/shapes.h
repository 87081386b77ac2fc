struct Shape {
  double corners[8];
};
Shape *makeShape();
